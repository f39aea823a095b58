#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "stash/core/condition.h"

namespace stash {

// A condition with a change, measured beside it in the same rounds. Empty name: the plain condition. Who runs the job
// knows what a name stands for; those below are known to all.
struct Variant {
  Condition condition = Condition::joined;
  std::string name = {};
  bool is_plain() const { return name.empty(); }
  auto operator<=>(const Variant&) const = default;
};

// What is done to the collectives of one process group: switched off, or confined to the ranks of a node.
enum class GroupChange { off, within_node };

std::string group_variant(GroupChange change, std::string_view group);  // the variant's name
struct ChangedGroup {
  GroupChange change = GroupChange::off;
  std::string group;
};
std::optional<ChangedGroup> changed_group(std::string_view variant);  // nullopt: it changes something else

}  // namespace stash
