#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "stash/core/units.h"
#include "stash/report/cells.h"
#include "stash/report/columns.h"
#include "stash/report/comparison.h"
#include "stash/report/printable.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kCostRows = 8;  // of a model: the measured one and the best; all are in JSON and CSV

class ComparisonPage {
 public:
  ComparisonPage(const Comparison& comparison, bool unicode) : comparison_(comparison), unicode_(unicode) {}

  std::string text() const {
    if (comparison_.models.empty()) return headline() + "\n";
    return headline() + "\n\n" + table() + not_paying() + links();
  }

  std::string headline() const {
    if (comparison_.models.empty()) return "nothing to compare: no case is finished";
    std::map<std::size_t, int> fastest, cheapest;
    for (const ModelComparison& model : comparison_.models) {
      ++fastest[model.machines.front().machine];
      if (model.cheapest) ++cheapest[model.machines[*model.cheapest].machine];
    }
    const std::string cheap = counted("cheapest", cheapest);
    return fmt::format("{}; {}", counted("fastest", fastest),
                       cheap.empty() ? "no price is known (--usd-per-hour of stash characterize)" : cheap);
  }

 private:
  std::string name(std::size_t machine) const { return printable(comparison_.machines[machine].name, unicode_, 60); }

  // "fastest: a for 5 models, b for 3".
  std::string counted(std::string_view what, const std::map<std::size_t, int>& models) const {
    std::string text;
    for (const auto& [machine, count] : models) {
      text += fmt::format("{}{} for {} model{}", text.empty() ? "" : ", ", name(machine), count, count == 1 ? "" : "s");
    }
    return text.empty() ? "" : fmt::format("{}: {}", what, text);
  }

  std::string table() const {
    std::vector<Row> rows{{"model", "machine", "epoch", "95 % interval", "$ per epoch", ""}};
    for (const ModelComparison& model : comparison_.models) {
      for (std::size_t i = 0; i < model.machines.size(); ++i) rows.push_back(row(model, i));
    }
    return render_columns(rows, std::array<std::size_t, 3>{0, 1, 5});
  }

  Row row(const ModelComparison& model, std::size_t place) const {
    const BestCase& best = model.machines[place];
    std::string remark;
    if (place == 0 && model.machines.size() > 1) remark = model.fastest_is_certain ? "fastest" : "fastest, not certain";
    if (model.cheapest == place && model.machines.size() > 1) remark += remark.empty() ? "cheapest" : ", cheapest";
    return {place == 0 ? printable(model.model, unicode_, 40) : "",
            name(best.machine),
            format_duration(best.epoch.s),
            fmt::format("{} to {}", format_duration(best.epoch.low_s), format_duration(best.epoch.high_s)),
            usd_cell(best.epoch_usd),
            remark};
  }

  std::string not_paying() const {
    std::string text;
    for (const DoesNotPay& row : comparison_.does_not_pay) {
      text += fmt::format("  {}: {} costs {:.2f} times as much per hour as {} and is {}\n",
                          printable(row.model, unicode_, 40), name(row.machine), row.price_ratio, name(row.cheaper),
                          row.speed_ratio > 1 ? fmt::format("{:.2f} times as fast", row.speed_ratio) : "not faster");
    }
    return text.empty() ? "" : "\npaying more does not pay off\n" + text;
  }

  std::string links() const {
    std::string text;
    for (const LinkComparison& link : comparison_.links) {
      if (!link.falls_short) continue;
      const auto finished = finished_cases(comparison_.machines[link.machine]);
      const bool emulated = !finished.empty() && !emulated_name(finished.front()->of.job).empty();
      text += fmt::format("  {}: {} of {}/s, {:.1f} % of the {}/s of {}{}\n", name(link.machine), link.link,
                          format_bytes(link.measured_bytes_per_s),
                          100 * link.measured_bytes_per_s / link.expected_bytes_per_s,
                          format_bytes(link.expected_bytes_per_s), printable(link.expected_of, unicode_, 60),
                          emulated ? " (emulated GPUs: the links are this host's memory)" : "");
    }
    return text.empty() ? "" : "\nlinks that fall short of their kind\n" + text;
  }

  const Comparison& comparison_;
  bool unicode_;
};

Row cost_row(const TrainingCost& cost, bool unicode) {
  return {printable(cost.machine, unicode, 60),
          cost.measured ? "measured" : "predicted",
          std::to_string(cost.gpus),
          format_duration(cost.time->s),
          fmt::format("{} to {}", format_duration(cost.time->low_s), format_duration(cost.time->high_s)),
          usd_cell(cost.usd)};
}

// What was measured, then the cheapest, or without prices the fastest.
std::string costs_of_model(std::vector<const TrainingCost*> rows, bool unicode) {
  std::erase_if(rows, [](const TrainingCost* cost) { return !cost->time; });
  const auto order = [](const TrainingCost* cost) {
    return std::tuple(!cost->measured, !cost->usd, cost->usd.value_or(cost->time->s));
  };
  std::ranges::stable_sort(rows, {}, order);
  if (rows.size() > kCostRows) rows.resize(kCostRows);
  std::vector<Row> cells{{"machine", "", "GPUs", "time", "95 % interval", "$"}};
  for (const TrainingCost* cost : rows) cells.push_back(cost_row(*cost, unicode));
  return render_columns(cells, std::array<std::size_t, 2>{0, 1});
}

std::string costs_text(const CostTable& costs, bool unicode) {
  std::vector<std::string> models;
  std::map<std::string, std::vector<const TrainingCost*>> by_model;
  for (const TrainingCost& cost : costs.rows) {
    if (by_model[cost.model].empty()) models.push_back(cost.model);
    by_model[cost.model].push_back(&cost);
  }
  std::string text;
  for (const std::string& model : models) {
    text += fmt::format("\n{} for {} epoch{}: measured, and the cheapest that are predicted from it\n{}",
                        printable(model, unicode, 40), costs.epochs, costs.epochs == 1 ? "" : "s",
                        costs_of_model(by_model[model], unicode));
  }
  return text;
}

}  // namespace

std::string comparison_verdict(const Comparison& comparison) { return ComparisonPage(comparison, true).headline(); }

std::string render_comparison_text(const Comparison& comparison, const CostTable& costs, const ReportOptions& options) {
  const std::string text = ComparisonPage(comparison, options.unicode).text() + costs_text(costs, options.unicode);
  return options.unicode ? text : to_ascii(text);
}

}  // namespace stash
