#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/models/graph.h"

namespace stash::bench {

// A network, image size and batch that was timed on several GPUs.
struct CnnStep {
  std::string model;
  int image_size = 0;
  int batch = 0;
  std::map<std::string, double> step_s;  // by GPU
};

// Rows of cnn_step_times_aws.csv whose model `stash models` knows, by the name that it has there.
std::vector<CnnStep> read_cnn_steps(const std::filesystem::path& file);

// The graph of torchvision, and the one that Keras has (predict/unpooled.h).
Graph graph_here(const CnnStep& step);
Graph graph_measured(const CnnStep& step);

}  // namespace stash::bench
