#include "stash/attribute/communication.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "stash/attribute/variants.h"

namespace stash {
namespace {

// What several estimates leave of `whole`. Their errors are taken to be independent: they share windows, which makes
// the interval too wide rather than too narrow where groups are few.
Estimate without(const Estimate& whole, const std::vector<Estimate>& some) {
  double s = whole.s;
  double half_s = half_width_s(whole);
  for (const Estimate& one : some) {
    s -= one.s;
    half_s = std::hypot(half_s, half_width_s(one));
  }
  return {s, s - half_s, s + half_s};
}

// Interconnect and network.
std::optional<Estimate> total_of(const Ledger& ledger) {
  const std::optional<Estimate>&inside = ledger[Part::interconnect], &between = ledger[Part::network];
  if (!inside || !between) return inside ? inside : between;
  const double s = inside->s + between->s, half_s = std::hypot(half_width_s(*inside), half_width_s(*between));
  return Estimate{s, s - half_s, s + half_s};
}

// The last condition that adds collectives.
std::optional<Condition> base_of(const Profile& profile) {
  for (const Condition condition : {Condition::joined, Condition::node}) {
    if (std::ranges::any_of(profile.windows, [&](const Window& w) { return w.condition == condition; })) {
      return condition;
    }
  }
  return std::nullopt;
}

double steps_under(const Profile& profile, Condition condition) {
  double steps = 0;
  for (const Window& window : profile.windows) {
    if (window.condition == condition) steps += window.steps;
  }
  return steps;
}

// By group and kind. A rank counts for a group if it issued anything on it.
using Operations = std::map<std::string, std::map<std::string, GroupOperation>>;

Operations operations_of(const Profile& profile) {
  const std::optional<Condition> base = base_of(profile);
  const double steps = base ? steps_under(profile, *base) : 0;
  Operations sums;
  if (steps == 0) return sums;
  std::map<std::string, std::set<int>> ranks;
  for (const CollectiveSummary& row : profile.collectives) {
    if (row.condition != *base || row.count == 0) continue;
    ranks[row.group].insert(row.rank);
    GroupOperation& sum = sums[row.group][row.op];
    sum.op = row.op;
    sum.calls += static_cast<double>(row.count);
    sum.bytes += static_cast<double>(row.count) * static_cast<double>(row.bytes);
  }
  for (auto& [group, by_op] : sums) {
    for (auto& [op, sum] : by_op) {
      sum.calls /= steps * static_cast<double>(ranks.at(group).size());
      sum.bytes /= steps * static_cast<double>(ranks.at(group).size());
    }
  }
  return sums;
}

class Lines {
 public:
  Lines(const Profile& profile, const Ledger& ledger)
      : profile_(profile), total_(total_of(ledger)), operations_(operations_of(profile)) {
    for (const VariantSaving& saving : variant_savings(profile)) savings_[saving.variant.name] = saving.saved;
    for (const CommGroup& group : profile.groups) alone_ += group.left_out.empty();
  }

  std::vector<GroupTime> make() {
    for (const CommGroup& group : profile_.groups) add(group);
    for (const auto& [name, operations] : operations_) add_late(name);
    std::ranges::stable_sort(lines_, std::greater<>(), [](const GroupTime& line) {
      return line.exposed ? line.exposed->s : -1e300;  // the costliest first
    });
    add_rest();
    return std::move(lines_);
  }

 private:
  void add(const CommGroup& group) {
    GroupTime& line = lines_.emplace_back();
    line.name = group.name;
    line.used_by = group.used_by;
    line.ranks = group.ranks;
    line.between_nodes = group.between_nodes;
    line.why_not = group.left_out;
    take_operations(line);
    if (!group.left_out.empty()) return;
    line.exposed = alone_ == 1 ? total_ : saving(GroupChange::off, group.name);
    if (line.exposed) return split(line, group);
    line.why_not = total_ ? "it was visited in fewer than two rounds" : "neither interconnect nor network was measured";
  }

  std::optional<Estimate> saving(GroupChange change, const std::string& group) const {
    const auto found = savings_.find(group_variant(change, group));
    return found == savings_.end() ? std::nullopt : std::optional(found->second);
  }

  // Confined to its node, a group saves what it costs between them.
  void split(GroupTime& line, const CommGroup& group) const {
    if (!group.between_nodes || group.ranks_per_node < 2) return;
    line.between = saving(GroupChange::within_node, group.name);
    if (line.between) line.inside = without(*line.exposed, {*line.between});
  }

  void take_operations(GroupTime& line) {
    for (const auto& [op, operation] : operations_[line.name]) line.operations.push_back(operation);
    operations_.erase(line.name);
  }

  // What went by on groups that came later.
  void add_late(const std::string& name) {
    if (profile_.groups.empty()) return;
    GroupTime& line = lines_.emplace_back();
    line.name = name.empty() ? "unnamed" : name;
    for (const auto& [op, operation] : operations_.at(name)) line.operations.push_back(operation);
    line.why_not = "made while the profile was taken";
  }

  void add_rest() {
    const bool is_all =
        alone_ == 1 && std::ranges::any_of(lines_, [](const GroupTime& l) { return l.exposed.has_value(); });
    if (!total_ || lines_.empty() || is_all) return;
    std::vector<Estimate> known;
    for (const GroupTime& line : lines_) {
      if (line.exposed) known.push_back(*line.exposed);
    }
    lines_.emplace_back().exposed = without(*total_, known);
  }

  const Profile& profile_;
  std::optional<Estimate> total_;
  Operations operations_;
  std::map<std::string, Estimate> savings_;
  int alone_ = 0;  // groups that were chosen
  std::vector<GroupTime> lines_;
};

}  // namespace

std::vector<GroupTime> communication_by_group(const Profile& profile, const Ledger& ledger) {
  if (profile.groups.empty()) return {};
  return Lines(profile, ledger).make();
}

}  // namespace stash
