#include <fmt/format.h>

#include <array>

#include "stash/attribute/round_table.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/part_colors.h"
#include "stash/report/html/sections.h"
#include "stash/report/table.h"

namespace stash {

namespace {

// By Condition: what it adds to the one before; docs/method.md.
constexpr std::array<std::string_view, 7> kSwitchedOn{
    "one rank of a node computes, nothing else",  "all ranks compute, without collectives",
    "collectives among the ranks of a node",      "collectives as the job issues them",
    "batches are copied from pinned host memory", "batches come from the input pipeline, files are cached",
    "the same with files that are not cached"};

std::vector<Dot> dots_of(const Report& report, Condition condition) {
  std::vector<Dot> dots;
  for (const Window& window : report.profile.windows) {
    if (window.condition != condition) continue;
    const double s = step_s(window);
    dots.push_back({s, fmt::format("{}, round {}: {} ms per step, {} steps", to_string(condition), window.round + 1,
                                   milliseconds(s, report.ledger), window.steps)});
  }
  return dots;
}

}  // namespace

Section conditions_section(const Report& report) {
  const Ledger& ledger = report.ledger;
  HtmlTable table("Step times by condition, ms", {"condition", "ms per step", "from", "to", "windows", "what is on"});
  std::vector<DotRow> rows;
  for (const auto& [condition, time] : ledger.step_by_condition) {
    DotRow row{std::string(to_string(condition)),
               fmt::format("{} ms ({} to {})", milliseconds(time.s, ledger), milliseconds(time.low_s, ledger),
                           milliseconds(time.high_s, ledger)),
               class_of(part_added_by(condition)),
               dots_of(report, condition),
               time.s,
               Whisker{time.low_s, time.high_s}};
    table.add({row.label,
               {milliseconds(time.s, ledger), time.s * 1e3},
               {milliseconds(time.low_s, ledger), time.low_s * 1e3},
               {milliseconds(time.high_s, ledger), time.high_s * 1e3},
               {fmt::format("{}", row.dots.size()), static_cast<double>(row.dots.size())},
               std::string(kSwitchedOn[static_cast<std::size_t>(condition)])});
    rows.push_back(std::move(row));
  }
  const std::string chart = dot_chart("Step time of every window, by condition", rows, tick_ms);
  return {
      "conditions", "Conditions",
      figure(chart,
             "A dot is a window of consecutive steps, the line the mean, the band its 95 % interval. Each condition "
             "adds one cause to the one above it; parts are differences inside a round.") +
          table.str()};
}

}  // namespace stash
