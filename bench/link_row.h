#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stash/catalog/instance.h"
#include "stash/predict/what_if.h"

namespace stash::bench {

// A published all-reduce on a machine that the catalogue has.
struct LinkRow {
  const Instance* instance = nullptr;
  int gpus = 0;
  int nodes = 1;
  double bytes = 0;
  double s = 0;
  WhatIf what_if;  // the algorithm, where another than NCCL's own choice was set
};

// All-reduces of 1 MB and more in the file.
std::vector<LinkRow> read_link_rows(const std::filesystem::path& file);

}  // namespace stash::bench
