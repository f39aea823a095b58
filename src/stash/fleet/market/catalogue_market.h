#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/catalog/instance.h"
#include "stash/fleet/market/market.h"

namespace stash {

struct MarketQuestion {
  std::string model;  // a built-in network, or sleep:TIME
  DType dtype = DType::fp32;
  int most_batch = 32;
  // Machines and functions by name; empty: the cheapest machine with each GPU, CPU machines, functions.
  std::vector<std::string> on;
  bool spot = true;       // offer spot machines where they have a price
  bool functions = true;  // offer functions
};

// What the catalogue has for a model: T(b) by the roofline of each GPU, or by cpu_forward_s; prices and starts with
// their sources. What cannot be offered is named in `warnings`. UsageError names the nearest machine.
Market catalogue_market(const MarketQuestion& question, std::span<const Instance> instances,
                        std::vector<std::string>& warnings);

// From the order to the first answer, with `weight_bytes` to fetch.
StartTime usual_start(bool has_gpu, double weight_bytes);

}  // namespace stash
