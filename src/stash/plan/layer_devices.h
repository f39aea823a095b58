#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stash/plan/device_kind.h"
#include "stash/plan/device_list.h"
#include "stash/plan/split_network.h"
#include "stash/predict/predict_job.h"
#include "stash/predict/what_if.h"

namespace stash {

// What is to be split layer by layer.
struct LayerJob {
  Graph graph;
  int batch = 256;  // samples of a step, over all devices
  DType dtype = DType::fp32;
  std::shared_ptr<const MeasuredProfile> profile;  // whose layer times are scaled; none: the model's estimate
};

// Devices with the layer times and links that `predict` has for them.
struct LayerDevices {
  std::vector<DeviceKind> kinds{};
  double compute_low_ratio = 1, compute_high_ratio = 1;  // 95 % interval of layer times, as factors
  double links_ratio = 1;                                // rates may be this many times smaller or larger
  bool as_published = false;                             // all figures are a publication's, which gives no intervals
  std::vector<std::string> assumptions{};
};

// Error where a rate is not known.
LayerDevices layer_devices(std::span<const PlannedDevices> devices, const LayerJob& job, const SplitNetwork& network,
                           const WhatIf& what_if);

}  // namespace stash
