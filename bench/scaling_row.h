#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/catalog/instance.h"
#include "stash/predict/what_if.h"

namespace stash::bench {

// A published throughput on several GPUs, with that of the same series on one.
struct ScalingRow {
  std::string source;   // repository
  std::string machine;  // as published
  std::string model;    // of `stash models`
  std::string framework;
  const Instance* instance = nullptr;
  int seq_len = 0;
  int image_size = 224;
  DType dtype = DType::fp32;
  int batch = 0;         // of a GPU, in one pass
  int accumulation = 1;  // such passes per step
  int gpus = 0;
  int nodes = 1;
  double single_s = 0;            // of one pass on one GPU
  double efficiency = 0;          // throughput over that of one GPU, for each of the GPUs
  WhatIf what_if;                 // the network, and how gradients are summed, where that is published
  bool halves_gradients = false;  // they go out in two bytes
  bool reduces_at_end = false;    // after the last pass instead of during it
};

// What the file's rows say of models and machines that `stash` knows, and how many were left out for which reason.
struct ScalingRows {
  std::vector<ScalingRow> rows;
  std::vector<std::string> left_out;
};
ScalingRows read_scaling_rows(const std::filesystem::path& file);

}  // namespace stash::bench
