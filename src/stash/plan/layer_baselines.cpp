#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/plan/layer_plan.h"

namespace stash {
namespace {

constexpr int kMostDoublings = 40;
constexpr int kPriceSteps = 6;
constexpr double kFirstPriceShare = 1e-3;  // of the step
constexpr int kMostDevicesTried = 1 << 20;
constexpr int kChangeSteps = 12;  // of narrowing the smallest change down: within a thousandth

// The fastest of the plans that cost memory ever more; the last one needs the least.
LayerPlan within_memory(const SplitNetwork& network, std::span<const DeviceKind> kinds, const LayerPlanRules& rules) {
  LayerPlan plan = plan_layers(network, kinds, rules, {});
  if (missing_bytes(plan, kinds) <= 0) return plan;
  double price = plan.step_s * kFirstPriceShare;
  for (int i = 0; i < kMostDoublings && missing_bytes(plan, kinds) > 0; ++i) {
    price *= 2;
    plan = plan_layers(network, kinds, rules, {}, price);
  }
  double low = price / 2, high = price;
  for (int i = 0; i < kPriceSteps && missing_bytes(plan, kinds) <= 0; ++i) {
    const double middle = (low + high) / 2;
    LayerPlan cheaper = plan_layers(network, kinds, rules, {}, middle);
    const bool fits = missing_bytes(cheaper, kinds) <= 0;
    (fits ? high : low) = middle;
    if (fits) plan = std::move(cheaper);
  }
  return plan;
}

bool fits_somehow(const SplitNetwork& network, std::span<const DeviceKind> kinds, const LayerPlanRules& rules) {
  try {
    return missing_bytes(within_memory(network, kinds, rules), kinds) <= 0;
  } catch (const UsageError&) {
    return false;  // too few samples or channels for the devices
  }
}

// The nearest to `bad` that fits, between it and one that does.
template <class Fits>
int nearest_that_fits(int good, int bad, const Fits& fits) {
  for (int i = 0; i < kChangeSteps && std::abs(bad - good) > 1; ++i) {
    const int middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

std::string smaller_batch(const SplitNetwork& network, std::span<const DeviceKind> kinds, const LayerPlanRules& rules) {
  const auto fits = [&](int batch) {
    LayerPlanRules smaller = rules;
    smaller.batch = batch;
    return fits_somehow(network, kinds, smaller);
  };
  for (int batch = static_cast<int>(rules.batch), tried; batch >= 2; batch = tried) {
    tried = batch / 2;
    if (fits(tried)) return fmt::format("it fits with --batch {}", nearest_that_fits(tried, batch, fits));
  }
  return "";
}

std::string more_devices(const SplitNetwork& network, std::span<const DeviceKind> kinds, const LayerPlanRules& rules) {
  const auto larger = [&](int times) {
    std::vector<DeviceKind> more(kinds.begin(), kinds.end());
    for (DeviceKind& kind : more) kind.nodes *= times;
    return more;
  };
  const auto fits = [&](int times) { return fits_somehow(network, larger(times), rules); };
  for (int times = 2; static_cast<long long>(times) * kinds.front().count() <= kMostDevicesTried; times *= 2) {
    if (!fits(times)) continue;
    std::string on;
    for (const DeviceKind& kind : larger(nearest_that_fits(times, times / 2, fits))) {
      on += (on.empty() ? "" : "+") + kind.text();
    }
    return fmt::format("it fits on {}", on);
  }
  return "";
}

// What is short, and the smallest change that fits: a smaller batch, or more devices.
[[noreturn]] void throw_misfit(const SplitNetwork& network, std::span<const DeviceKind> kinds,
                               const LayerPlanRules& rules, double missing) {
  std::string change = smaller_batch(network, kinds, rules);
  if (change.empty()) change = more_devices(network, kinds, rules);
  throw Error(fmt::format("{} fits nowhere: with the split that needs the least, a device lacks {} of memory; {}",
                          network.name, format_bytes(missing),
                          change.empty() ? "no smaller batch and no number of devices fits" : change));
}

LayerPlan named(LayerPlan plan, std::string name) {
  plan.name = std::move(name);
  return plan;
}

}  // namespace

double missing_bytes(const LayerPlan& plan, std::span<const DeviceKind> kinds) {
  double most = -1;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k].memory_bytes > 0) most = std::max(most, plan.memory_bytes[k] - kinds[k].memory_bytes);
  }
  return most;
}

LayerPlan fastest_layers(const SplitNetwork& network, std::span<const DeviceKind> kinds, const LayerPlanRules& rules) {
  return within_memory(network, kinds, rules);
}

LayerPlans plan_with_baselines(const SplitNetwork& network, std::span<const DeviceKind> kinds,
                               const LayerPlanRules& rules) {
  LayerPlans plans;
  LayerPlanRules equal = rules;
  equal.equal_halves = true;
  const std::vector<unsigned> data = data_types(network);
  plans.data = named(plan_layers(network, kinds, equal, data), "data");
  LayerPlanRules same = rules;
  same.one_ratio = true;
  plans.data_best_ratio = named(plan_layers(network, kinds, same, data), "data_best_ratio");
  plans.owt = named(plan_layers(network, kinds, equal, owt_types(network)), "owt");
  plans.hypar = named(plan_layers(network, kinds, equal, hypar_types(network)), "hypar");
  plans.best = named(within_memory(network, kinds, rules), "accpar");
  if (const double missing = missing_bytes(plans.best, kinds); missing > 0) {
    throw_misfit(network, kinds, rules, missing);
  }
  // The levels are chosen one after the other, so a baseline can be ahead of their sum.
  for (const LayerPlan* other : {&plans.data_best_ratio, &plans.hypar, &plans.owt, &plans.data}) {
    if (other->step_s < plans.best.step_s && missing_bytes(*other, kinds) <= 0) plans.best = *other;
  }
  for (std::size_t k = 0; kinds.size() > 1 && k < kinds.size(); ++k) {
    try {
      LayerPlan alone = within_memory(network, kinds.subspan(k, 1), rules);
      if (missing_bytes(alone, kinds.subspan(k, 1)) > 0) continue;
      if (plans.fast_only && plans.fast_only->step_s <= alone.step_s) continue;
      plans.fast_only = named(std::move(alone), "fast_only");
      plans.fast_kind = kinds[k].text();
    } catch (const UsageError&) {
      continue;  // this kind alone has too many devices for the batch
    }
  }
  return plans;
}

}  // namespace stash
