#include "stash/core/condition.h"

#include "stash/core/error.h"

namespace stash {

namespace {

constexpr std::array<std::string_view, kConditions.size()> kConditionNames{"solo",   "apart", "node", "joined",
                                                                           "staged", "hot",   "cold"};
constexpr std::array<std::string_view, kParts.size()> kPartNames{"compute", "contention", "interconnect", "network",
                                                                 "copy",    "prep",       "fetch"};

}  // namespace

std::string_view to_string(Condition condition) { return kConditionNames[static_cast<int>(condition)]; }

std::string_view to_string(Part part) { return kPartNames[static_cast<int>(part)]; }

Condition parse_condition(std::string_view name) {
  for (const Condition condition : kConditions) {
    if (to_string(condition) == name) return condition;
  }
  throw_unknown("condition", name, kConditionNames);
}

}  // namespace stash
