#pragma once

#include <vector>

#include "stash/core/profile.h"

namespace stash {

// What a group's ranks issued on it in the script's first steps, on the rank that issued most.
struct GroupActivity {
  double calls = 0;
  double s = 0;  // from issue to completion
};

inline constexpr std::size_t kMostGroupVariants = 6;  // more of them leave each too few rounds

// What has to be measured beside `conditions` to know what each group costs: nothing where one group alone is busy.
// Every other group gets the reason why it is left out. `activity` is by group.
std::vector<Variant> choose_group_variants(std::vector<CommGroup>& groups, const std::vector<GroupActivity>& activity,
                                           const std::vector<Condition>& conditions);

}  // namespace stash
