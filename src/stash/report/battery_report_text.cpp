#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "stash/attribute/stopping.h"
#include "stash/core/units.h"
#include "stash/report/battery_report.h"
#include "stash/report/cells.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Row = std::vector<std::string>;

std::string percent_cell(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.1f}", 100 * *ratio) : std::string(kUnknown);
}

std::optional<double> share(const CaseResult& result, Part part) {
  const auto& time = (*result.ledger)[part];
  if (!time || !(result.ledger->step.s > 0)) return std::nullopt;
  return time->s / result.ledger->step.s;
}

std::string short_name(const CaseResult& result) {
  const Job& job = result.of.job;
  return fmt::format("{} with batch {} on {} rank{}{}", job.model, job.batch, job.ranks, job.ranks == 1 ? "" : "s",
                     result.of.nodes > 1 ? fmt::format(" of {} nodes", result.of.nodes) : "");
}

struct Worst {
  const CaseResult* result = nullptr;
  Part part = Part::compute;
  double ratio = 0;
  double low_ratio = 0;
  double high_ratio = 0;
};

// The stall that is certainly the largest: by the low end of its interval. One that takes more than its step shows that
// its case is hardly known.
Worst largest_stall(const std::vector<const CaseResult*>& finished) {
  Worst worst;
  for (const CaseResult* result : finished) {
    for (const Part part : kParts) {
      const auto ratio = share(*result, part);
      if (part == Part::compute || !ratio || *ratio > 1) continue;
      const Estimate& estimate = *(*result->ledger)[part];
      const double low_ratio = estimate.low_s / result->ledger->step.s;
      if (low_ratio > worst.low_ratio)
        worst = {result, part, *ratio, low_ratio, estimate.high_s / result->ledger->step.s};
    }
  }
  return worst;
}

struct Column {
  std::string_view name;
  std::function<std::string(const CaseResult&)> cell;
};

std::vector<Column> ledger_columns() {
  std::vector<Column> columns{
      {"ranks", [](const CaseResult& result) { return std::to_string(result.of.job.ranks); }},
      {"nodes", [](const CaseResult& result) { return std::to_string(result.of.nodes); }},
      {"step, ms", [](const CaseResult& result) { return fmt::format("{:.1f}", result.ledger->step.s * 1e3); }}};
  for (const Part part : kParts) {
    columns.push_back(
        {to_string(part), [part](const CaseResult& result) { return percent_cell(share(result, part)); }});
  }
  columns.push_back({"±", [](const CaseResult& result) {
                       const Ledger& ledger = *result.ledger;
                       if (!(ledger.step.s > 0)) return std::string(kUnknown);
                       return percent_cell(widest_interval(ledger).half_width_s / ledger.step.s);
                     }});
  columns.push_back({"epoch", [](const CaseResult& result) {
                       return result.epoch_s ? format_duration(*result.epoch_s) : std::string(kUnknown);
                     }});
  columns.push_back({"$ per epoch", [](const CaseResult& result) {
                       return result.epoch_usd ? fmt::format("{:.2f}", *result.epoch_usd) : std::string(kUnknown);
                     }});
  return columns;
}

std::vector<Column> study_columns() {
  const auto cell = [](std::optional<double> Published::* ratio) {
    return [ratio](const CaseResult& result) { return percent_cell(result.ledger->published.*ratio); };
  };
  return {{"ranks", [](const CaseResult& result) { return std::to_string(result.of.job.ranks); }},
          {"nodes", [](const CaseResult& result) { return std::to_string(result.of.nodes); }},
          {"interconnect", cell(&Published::interconnect_ratio)},
          {"network", cell(&Published::network_ratio)},
          {"prep", cell(&Published::prep_ratio)},
          {"fetch", cell(&Published::fetch_ratio)}};
}

// Columns that say nothing, or that a reader knows after the first row, are left out.
bool is_worth_showing(const Row& cells, std::string_view name) {
  if (std::ranges::all_of(cells, [](const std::string& cell) { return cell == kUnknown; })) return false;
  const bool varies = std::ranges::any_of(cells, [&](const std::string& cell) { return cell != cells.front(); });
  return varies || (name != "ranks" && name != "nodes");
}

// Empty where no column is worth showing.
std::string case_table(std::string_view title, const std::vector<const CaseResult*>& finished,
                       const std::vector<Column>& columns, bool unicode) {
  std::vector<Row> rows{{"model", "batch"}};
  for (const CaseResult* result : finished) {
    rows.push_back({printable(result->of.job.model, unicode, 40), std::to_string(result->of.job.batch)});
  }
  for (const Column& column : columns) {
    Row cells;
    for (const CaseResult* result : finished) cells.push_back(column.cell(*result));
    if (!is_worth_showing(cells, column.name)) continue;
    rows.front().emplace_back(column.name);
    for (std::size_t i = 0; i < cells.size(); ++i) rows[i + 1].push_back(cells[i]);
  }
  if (rows.front().size() == 2) return "";
  return fmt::format("\n{}\n{}", title, render_columns(rows, std::array<std::size_t, 1>{0}));
}

std::string not_measured(const BatterySummary& summary, bool unicode) {
  std::string text;
  for (const CaseState state : {CaseState::failed, CaseState::unfit, CaseState::left}) {
    for (const CaseResult& result : summary.cases) {
      if (result.state != state) continue;
      text += fmt::format("  {:7} {}: {}\n", words_of(state), printable(result.of.name, unicode, 80),
                          printable(result.why, unicode));
    }
  }
  return text.empty() ? "" : fmt::format("\nnot measured\n{}", text);
}

std::string figure_table(const std::vector<Figure>& figures, bool unicode) {
  std::vector<Row> rows;
  for (const Figure& figure : figures) {
    Row row{printable(figure.name, unicode, 40), printable(figure.setting, unicode, 40)};
    if (figure.median) {
      row.push_back(figure_amount(*figure.median, figure.unit));
      row.push_back(figure.low && figure.high ? fmt::format("{} to {}", figure_amount(*figure.low, figure.unit),
                                                            figure_amount(*figure.high, figure.unit))
                                              : "");
    } else {
      row.insert(row.end(), {std::string(kUnknown), printable(figure.why_absent, unicode, 200)});
    }
    rows.push_back(std::move(row));
  }
  return rows.empty() ? "" : "\nthe machine\n" + render_columns(rows, std::array<std::size_t, 3>{0, 1, 3});
}

}  // namespace

std::string figure_amount(double value, std::string_view unit) {
  if (unit == "bytes_per_s") return format_bytes(value) + "/s";
  if (unit == "s") return format_duration(value);
  return fmt::format("{:.0f} {}/s", value, unit.substr(0, unit.find('_')));
}

std::string_view words_of(CaseState state) { return state == CaseState::unfit ? "not run" : to_string(state); }

std::string battery_verdict(const BatterySummary& summary) {
  const auto finished = finished_cases(summary);
  if (finished.empty()) return fmt::format("no case of {} is finished yet", summary.cases.size());
  const std::string emulated = emulated_name(finished.front()->of.job);
  std::string text = emulated.empty() ? "" : emulated + ": ";
  const Worst worst = largest_stall(finished);
  if (worst.result == nullptr) {
    text += "no stall is distinguishable from zero";
  } else if (worst.ratio < kMattersRatio) {
    text += "no stall matters";
  } else {
    text += fmt::format("the largest stall is {}: {:.0f} % ({:.0f} to {:.0f}) of a step of {}", to_string(worst.part),
                        100 * worst.ratio, 100 * worst.low_ratio, 100 * worst.high_ratio, short_name(*worst.result));
  }
  const auto busy = [](const CaseResult* result) { return result->compute_ratio.value_or(0); };
  const CaseResult& least = **std::ranges::min_element(finished, {}, busy);
  const CaseResult& most = **std::ranges::max_element(finished, {}, busy);
  if (!least.compute_ratio || !most.compute_ratio || finished.size() == 1) return text;
  return text + fmt::format("; its GPUs compute least with {} ({:.0f} % of the time), most with {} ({:.0f} %)",
                            short_name(least), 100 * *least.compute_ratio, short_name(most), 100 * *most.compute_ratio);
}

std::string render_battery_text(const BatterySummary& summary, const ReportOptions& options) {
  const auto finished = finished_cases(summary);
  std::string text = fmt::format("{}\n\n{}: {} of {} cases, {}{} ({} cores, {})\n", battery_verdict(summary),
                                 printable(summary.name, options.unicode), finished.size(), summary.cases.size(),
                                 summary.machines ? fmt::format("{} × ", *summary.machines) : "",
                                 printable(summary.machine.cpu, options.unicode), summary.machine.cores,
                                 format_bytes(static_cast<double>(summary.machine.memory_bytes)));
  if (!finished.empty()) {
    text += case_table("parts in % of a step; ± of the one that is known least", finished, ledger_columns(),
                       options.unicode);
    text += case_table("in %, as the Stash study (ICDCS 2023) counts", finished, study_columns(), options.unicode);
  }
  text += not_measured(summary, options.unicode);
  text += figure_table(summary.figures, options.unicode);
  return options.unicode ? text : to_ascii(text);
}

}  // namespace stash
