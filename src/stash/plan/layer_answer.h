#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/plan/layer_devices.h"
#include "stash/plan/layer_explain.h"
#include "stash/plan/layer_plan.h"

namespace stash {

// What a layer-wise plan is to keep to.
struct LayerWishes {
  double smallest_ratio = LayerPlanRules{}.smallest_ratio;
  WhatIf what_if{};
};

// All that is said of a network split layer by layer.
struct LayerAnswer {
  std::string model{};
  std::string devices{};  // "64xTPUv2+64xTPUv3"
  int batch = 0;          // of a step, over all devices
  std::string dtype{};
  bool published = false;  // elements by the published program's cost, no times
  SplitNetwork network{};
  std::vector<DeviceKind> kinds{};
  LayerPlans plans{};
  std::vector<std::string> left_out{};  // kinds without which it is faster
  std::string binding{};                // what keeps the best plan from being faster
  std::vector<PlanWorth> worth{};
  std::vector<std::string> assumptions{};
};

// Error where nothing fits, or a rate is not known; UsageError where the batch is too small for the devices.
LayerAnswer answer_layers(const LayerJob& job, std::span<const PlannedDevices> devices, const LayerWishes& wishes);

// The published program's plans: `levels` halvings by elements exchanged, without devices.
LayerAnswer answer_published(std::string_view model, int batch, int levels);

Ledger layer_ledger(const LayerPlan& plan);

}  // namespace stash
