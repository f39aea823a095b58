#include "stash/report/html/part_colors.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/report/table.h"

namespace stash {

namespace {

std::string tip_of(std::string_view name, const Estimate& time, const Ledger& ledger) {
  return fmt::format("{}: {} ms ({} to {}), {:.1f} % of the step", name, milliseconds(time.s, ledger),
                     milliseconds(time.low_s, ledger), milliseconds(time.high_s, ledger),
                     ledger.step.s > 0 ? time.s / ledger.step.s * 100 : 0);
}

const Estimate* unsplit(const Ledger& ledger) {
  const bool is_split = ledger.step_by_condition.empty() || ledger[Part::compute];
  return is_split ? nullptr : &ledger.step_by_condition.begin()->second;
}

}  // namespace

std::string class_of(Part part) { return fmt::format("part-{}", to_string(part)); }

std::vector<BarSegment> ledger_segments(const Ledger& ledger) {
  std::vector<BarSegment> segments;
  if (const Estimate* base = unsplit(ledger)) {
    segments.push_back({base->s, "part-unsplit", tip_of("not taken apart", *base, ledger)});
  }
  for (const Part part : kParts) {
    if (ledger[part])
      segments.push_back({ledger[part]->s, class_of(part), tip_of(to_string(part), *ledger[part], ledger)});
  }
  return segments;
}

std::string parts_legend(std::span<const Ledger* const> ledgers) {
  std::vector<LegendEntry> entries;
  if (std::ranges::any_of(ledgers, unsplit, [](const Ledger* ledger) -> const Ledger& { return *ledger; })) {
    entries.push_back({"part-unsplit", "not taken apart"});
  }
  for (const Part part : kParts) {
    const bool there = std::ranges::any_of(ledgers, [&](const Ledger* ledger) { return (*ledger)[part].has_value(); });
    if (there) entries.push_back({class_of(part), std::string(to_string(part))});
  }
  return legend(entries);
}

}  // namespace stash
