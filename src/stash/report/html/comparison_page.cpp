#include <fmt/format.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/report/html/battery_page.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/lines.h"

namespace stash {

namespace {

constexpr std::size_t kMostModels = 16;  // with a chart of their own

std::string series_of(std::size_t machine) { return fmt::format("series-{}", machine % 4 + 1); }

std::string model_chart(const ModelComparison& model, const Comparison& comparison) {
  std::vector<BarRow> rows;
  for (const BestCase& best : model.machines) {
    const std::string name = comparison.machines[best.machine].name;
    const std::string cost = best.epoch_usd ? fmt::format(", ${:.2f}", *best.epoch_usd) : "";
    const std::string figures = format_duration(best.epoch.s) + cost;
    rows.push_back({name,
                    figures,
                    {{best.epoch.s, series_of(best.machine), fmt::format("{}: {}", name, figures)}},
                    Whisker{best.epoch.low_s, best.epoch.high_s}});
  }
  return figure(time_bar_chart(fmt::format("An epoch of {}", model.model), std::move(rows)),
                fmt::format("{}: an epoch of {} samples, with its 95 % interval{}.", model.model,
                            format_count(static_cast<std::int64_t>(model.epoch_samples)),
                            model.fastest_is_certain ? "" : "; which is fastest is not certain"));
}

std::string model_table(const Comparison& comparison) {
  HtmlTable table("An epoch of each model on each machine, the fastest first",
                  {"model", "machine", "case", "epoch", "from", "to", "$ per epoch", ""}, HtmlTable::kMostMainBytes);
  for (const ModelComparison& model : comparison.models) {
    for (std::size_t i = 0; i < model.machines.size(); ++i) {
      const BestCase& best = model.machines[i];
      const auto time = [](double s) { return Cell{format_duration(s), s}; };
      const std::string remark =
          fmt::format("{}{}{}", i == 0 ? "fastest" : "", i == 0 && model.cheapest == i ? ", " : "",
                      model.cheapest == i ? "cheapest" : "");
      table.add({model.model, comparison.machines[best.machine].name, best.name, time(best.epoch.s),
                 time(best.epoch.low_s), time(best.epoch.high_s), number_cell(best.epoch_usd, 2), remark});
    }
  }
  return table.str();
}

Section pay_section(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const DoesNotPay& row : comparison.does_not_pay) {
    lines.push_back(fmt::format("{}: {} costs {:.2f} times as much per hour as {} and is {:.2f} times as fast",
                                row.model, comparison.machines[row.machine].name, row.price_ratio,
                                comparison.machines[row.cheaper].name, row.speed_ratio));
  }
  return {"pay", "Where paying more does not pay off", lines.empty() ? "" : list(lines)};
}

Section links_section(const Comparison& comparison) {
  HtmlTable table("Links beside what their kind should give", {"machine", "link", "measured", "should give", "as", ""});
  for (const LinkComparison& row : comparison.links) {
    const auto rate = [](double bytes_per_s) { return Cell{format_bytes(bytes_per_s) + "/s", bytes_per_s}; };
    table.add({comparison.machines[row.machine].name, row.link, rate(row.measured_bytes_per_s),
               rate(row.expected_bytes_per_s), row.expected_of, row.falls_short ? "falls short" : ""});
  }
  return {"links", "Links", table.empty() ? "" : table.str()};
}

std::vector<std::string> emulated_alerts(const Comparison& comparison) {
  std::vector<std::string> alerts;
  for (const BatterySummary& machine : comparison.machines) {
    const auto cases = finished_cases(machine);
    if (!cases.empty()) alerts.push_back(emulated_line(machine.name + " was", cases.front()->of.job));
  }
  return alerts;
}

Section costs_section(const CostTable& costs) {
  HtmlTable table(fmt::format("Time and cost of {} epochs", costs.epochs),
                  {"model", "machine", "how it is known", "GPUs", "batch", "time", "from", "to", "cost, $"},
                  HtmlTable::kMostMainBytes);
  for (const TrainingCost& row : costs.rows) {
    const auto time = [](double s) { return Cell{format_duration(s), s}; };
    std::vector<Cell> cells{row.model, row.machine,
                            row.measured ? "measured"
                            : row.time   ? "predicted"
                                         : row.why,
                            number_cell(row.gpus, 0), number_cell(row.batch, 0)};
    for (const double s :
         row.time ? std::vector{row.time->s, row.time->low_s, row.time->high_s} : std::vector<double>{}) {
      cells.push_back(time(s));
    }
    while (cells.size() < 8) cells.push_back("–");
    cells.push_back(number_cell(row.usd, 2));
    table.add(std::move(cells), row.measured ? "best" : "");
  }
  return {"costs", "Cost of training", table.empty() ? "" : table.str()};
}

}  // namespace

std::string render_comparison_html(const Comparison& comparison, const CostTable& costs) {
  std::string charts;
  for (std::size_t i = 0; i < std::min(comparison.models.size(), kMostModels); ++i) {
    charts += model_chart(comparison.models[i], comparison);
  }
  const PageHead head{.title = "stash: machines compared",
                      .verdict = comparison_verdict(comparison),
                      .lines = {},
                      .alerts = emulated_alerts(comparison)};
  const std::string models = comparison.models.empty() ? "" : charts + model_table(comparison);
  return html_page(
      head,
      {{"models", "Model by model", models}, pay_section(comparison), links_section(comparison), costs_section(costs)});
}

}  // namespace stash
