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

// Rows of cnn_step_times_aws.csv whose model `stash models` knows.
std::vector<CnnStep> read_cnn_steps(const std::filesystem::path& file);

// The graph that `stash predict` takes, and the one that was measured: there the first product of a classifier has as
// many inputs as the last feature map has values, where torchvision pools to a fixed size first.
Graph graph_here(const CnnStep& step);
Graph graph_measured(const CnnStep& step);

}  // namespace stash::bench
