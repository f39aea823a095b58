#include "stash/report/rejected.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "stash/report/printable.h"

namespace stash {

namespace {

constexpr std::size_t kMostReasons = 6;
constexpr std::size_t kMostNames = 4;

struct RejectedGroup {
  std::string_view why;
  std::size_t count = 0;                // with their node counts
  std::vector<std::string_view> names;  // of instances, once each
};

// Rows come by instance, so that a name that is there already is the last one.
std::vector<RejectedGroup> by_reason(const std::vector<Rejected>& rejected) {
  std::map<std::string_view, std::size_t> places;
  std::vector<RejectedGroup> groups;
  for (const Rejected& row : rejected) {
    const auto [place, is_new] = places.try_emplace(row.why, groups.size());
    if (is_new) groups.push_back({row.why, 0, {}});
    RejectedGroup& group = groups[place->second];
    ++group.count;
    if (group.names.empty() || group.names.back() != row.instance) group.names.push_back(row.instance);
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &RejectedGroup::count);
  return groups;
}

std::string line(const RejectedGroup& group, bool unicode) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(group.names.size(), kMostNames); ++i) {
    names.push_back(printable(group.names[i], unicode, 60));
  }
  const std::string more =
      group.names.size() > kMostNames ? fmt::format(" and {} more", group.names.size() - kMostNames) : "";
  return fmt::format("  {:>5}  {}: {}{}\n", group.count, printable(group.why, unicode), fmt::join(names, ", "), more);
}

}  // namespace

std::string render_rejected(const std::vector<Rejected>& rejected, bool unicode) {
  if (rejected.empty()) return "";
  const std::vector<RejectedGroup> groups = by_reason(rejected);
  std::string text = fmt::format("\nrejected, machines and node counts: {}\n", rejected.size());
  std::size_t left = rejected.size();
  for (std::size_t i = 0; i < std::min(groups.size(), kMostReasons); ++i) {
    text += line(groups[i], unicode);
    left -= groups[i].count;
  }
  return text + (left > 0 ? fmt::format("  {:>5}  for other reasons; --format json has them all\n", left) : "");
}

}  // namespace stash
