#include "stash/core/variant.h"

#include <array>
#include <utility>

namespace stash {
namespace {

constexpr std::array<std::pair<GroupChange, std::string_view>, 2> kPrefixes{
    {{GroupChange::off, "off:"}, {GroupChange::within_node, "within_node:"}}};

}  // namespace

std::string group_variant(GroupChange change, std::string_view group) {
  for (const auto& [known, prefix] : kPrefixes) {
    if (known == change) return std::string(prefix).append(group);
  }
  return {};
}

std::optional<ChangedGroup> changed_group(std::string_view variant) {
  for (const auto& [change, prefix] : kPrefixes) {
    if (variant.starts_with(prefix)) return ChangedGroup{change, std::string(variant.substr(prefix.size()))};
  }
  return std::nullopt;
}

}  // namespace stash
