#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "stash/plan/plan_worth.h"

namespace stash {

nlohmann::ordered_json plan_worth_json(std::span<const PlanWorth> worth);  // resource, more, saved_s

}  // namespace stash
