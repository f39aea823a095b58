#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/plan/layer_plan.h"
#include "stash/plan/plan_worth.h"

namespace stash {

// The next best plan: the best one with another type for one layer at one level, or a baseline. nullopt: there is none
// that fits.
std::optional<LayerPlan> second_best(const LayerPlans& plans, const SplitNetwork& network,
                                     std::span<const DeviceKind> kinds, const LayerPlanRules& rules);

// What keeps the plan from being faster, in one sentence.
std::string binding_of(const LayerPlan& plan, const SplitNetwork& network, std::span<const DeviceKind> kinds,
                       const LayerPlanRules& rules);

// What more of each resource would bring: plans again with it. The most first.
std::vector<PlanWorth> worth_of_more(const LayerPlan& plan, const SplitNetwork& network,
                                     std::span<const DeviceKind> kinds, const LayerPlanRules& rules);

}  // namespace stash
