#include "stash/report/layer_plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/core/units.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostPlanRows = 120;
constexpr double kShownSaving = 0.0005;  // of a step: less reads as 0.0 %

std::string what_is_planned(const LayerAnswer& answer) {
  return fmt::format("{}, batch {} in {} on {}", answer.model, answer.batch, answer.dtype, answer.devices);
}

std::string milliseconds_of(double s) {
  const double ms = s * 1e3;
  return fmt::format("{:.{}f}", ms, ms >= 100 ? 0 : ms >= 10 ? 1 : ms >= 1 ? 2 : 3);
}

std::string interval_text(const LayerPlan& plan) {
  if (!plan.interval) return "";
  return fmt::format(" ({} to {})", format_duration(plan.interval->low_s), format_duration(plan.interval->high_s));
}

bool is_same_split(const LayerPlan& plan, std::size_t a, std::size_t b) {
  return std::ranges::all_of(plan.levels,
                             [&](const PlannedLevel& level) { return level.splits[a] == level.splits[b]; });
}

std::string type_cell(const LayerSplit& split) {
  if (std::abs(split.ratio - 0.5) < 0.005) return std::string(to_string(split.type));
  return fmt::format("{} {:.2f}", to_string(split.type), split.ratio);
}

std::string layers_table(const LayerAnswer& answer, const LayerPlan& plan) {
  Row head{"layer"};
  for (std::size_t l = 0; l < plan.levels.size(); ++l) head.push_back(std::to_string(l + (answer.published ? 0 : 1)));
  if (!answer.published) head.insert(head.end(), {"compute", "within", "between", "bytes"});
  std::vector<Row> rows{std::move(head)};
  const std::vector<LayerRun> runs = layer_runs(plan);
  for (std::size_t i = 0; i < std::min(runs.size(), kMostPlanRows); ++i) {
    Row row{name_of(runs[i], answer.network)};
    for (const PlannedLevel& level : plan.levels) row.push_back(type_cell(level.splits[runs[i].first]));
    if (!answer.published) {
      const PlannedLayer& sum = runs[i].sum;
      row.insert(row.end(), {milliseconds_of(sum.compute_s), milliseconds_of(sum.within_s),
                             milliseconds_of(sum.between_s), format_bytes(sum.exchanged_bytes)});
    }
    rows.push_back(std::move(row));
  }
  std::string text = render_columns(rows, std::array<std::size_t, 1>{0});
  if (runs.size() > kMostPlanRows) {
    text += fmt::format("  and {} more; --format json has them all\n", runs.size() - kMostPlanRows);
  }
  return text;
}

// What the numbers above the columns stand for; equal halvings in one line.
std::string levels_legend(const LayerAnswer& answer, const LayerPlan& plan) {
  if (plan.levels.empty()) return "one device: nothing is split\n";
  std::string text = "I splits the batch, II input channels, III output channels, 0.30: the left part's share\n";
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    const bool halves = l + 1 >= answer.kinds.size();
    if (halves && l + 1 < plan.levels.size()) {
      return text + fmt::format("levels {} to {}: {}, and so on\n", l + 1, plan.levels.size(), plan.levels[l].name);
    }
    text += fmt::format("level {}: {}\n", l + 1, plan.levels[l].name);
  }
  return text;
}

std::string compared_table(const LayerAnswer& answer) {
  std::vector<Row> rows{{"plan", "step", "of the best"}};
  for (const ComparedPlan& other : compared_plans(answer)) {
    rows.push_back({other.name, format_duration(other.plan->step_s),
                    fmt::format("{:.3f}", other.plan->step_s / answer.plans.best.step_s)});
  }
  return render_columns(rows, std::array<std::size_t, 1>{0});
}

std::string memory_lines(const LayerAnswer& answer) {
  std::string text;
  for (std::size_t k = 0; k < answer.kinds.size(); ++k) {
    const DeviceKind& kind = answer.kinds[k];
    text += fmt::format("memory of a {}{}: {}{}\n", kind.by_machine ? "GPU of " : "", kind.name,
                        format_bytes(answer.plans.best.memory_bytes[k]),
                        kind.memory_bytes > 0 ? fmt::format(" of {}", format_bytes(kind.memory_bytes)) : "");
  }
  return text;
}

std::string worth_lines(const LayerAnswer& answer) {
  std::string text;
  for (const PlanWorth& worth : answer.worth) {
    text += fmt::format("{}, {}: {}\n", worth.resource, worth.more, worth_text(worth, answer.plans.best.step_s));
  }
  return text;
}

std::string published_page(const LayerAnswer& answer) {
  std::string text = fmt::format("{}, batch {}: {} levels by the published program's cost\n", answer.model,
                                 answer.batch, answer.plans.best.levels.size());
  text += "\nI splits the batch, II input channels, III output channels\n\nAccPar\n";
  text += layers_table(answer, answer.plans.best) + "\nHyPar\n" + layers_table(answer, answer.plans.hypar);
  return text;
}

std::string measured_page(const LayerAnswer& answer) {
  const LayerPlan& best = answer.plans.best;
  std::string text = layer_plan_verdict(answer) + "\n\n" + layers_table(answer, best);
  text += "times in ms per step on the devices that take longest; bytes that such a device sends\n";
  text += levels_legend(answer, best) + "\n" + compared_table(answer) + "\n" + memory_lines(answer);
  text += fmt::format("what binds: {}\n", answer.binding) + worth_lines(answer);
  return text;
}

}  // namespace

std::string worth_text(const PlanWorth& worth, double step_s) {
  if (std::abs(worth.saved_s) < kShownSaving * step_s) return "saves nothing";
  return fmt::format("{} {} per step ({:.1f} %)", worth.saved_s < 0 ? "costs" : "saves",
                     format_duration(std::abs(worth.saved_s)), 100 * worth.saved_s / step_s);
}

std::vector<ComparedPlan> compared_plans(const LayerAnswer& answer) {
  const LayerPlans& plans = answer.plans;
  std::vector<ComparedPlan> compared;
  if (plans.second) compared.push_back({"second best: " + plans.second->name, &*plans.second});
  if (plans.fast_only) compared.push_back({plans.fast_kind + " alone", &*plans.fast_only});
  compared.push_back({"data parallel, best ratio", &plans.data_best_ratio});
  compared.push_back({"HyPar", &plans.hypar});
  compared.push_back({"one weird trick (OWT)", &plans.owt});
  compared.push_back({"data parallel, equal parts", &plans.data});
  return compared;
}

std::vector<LayerRun> layer_runs(const LayerPlan& plan) {
  std::vector<LayerRun> runs;
  const std::size_t count = plan.levels.empty() ? plan.layers.size() : plan.levels.front().splits.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (runs.empty() || !is_same_split(plan, i, runs.back().first)) runs.push_back({.first = i});
    LayerRun& run = runs.back();
    ++run.count;
    if (plan.layers.empty()) continue;
    run.sum.compute_s += plan.layers[i].compute_s;
    run.sum.within_s += plan.layers[i].within_s;
    run.sum.between_s += plan.layers[i].between_s;
    run.sum.network_s += plan.layers[i].network_s;
    run.sum.exchanged_bytes += plan.layers[i].exchanged_bytes;
  }
  return runs;
}

std::string name_of(const LayerRun& run, const SplitNetwork& network) {
  const std::string& first = network.layers[run.first].name;
  if (run.count == 1) return first;
  return fmt::format("{} to {} ({})", first, network.layers[run.first + run.count - 1].name, run.count);
}

std::string layer_plan_verdict(const LayerAnswer& answer) {
  const LayerPlans& plans = answer.plans;
  const LayerPlan& best = plans.best;
  if (!answer.left_out.empty()) {
    return fmt::format("{}: {} alone is fastest, leave out {}: {} per step, with all devices {}",
                       what_is_planned(answer), plans.fast_kind, fmt::join(answer.left_out, " and "),
                       format_duration(plans.fast_only->step_s), format_duration(best.step_s));
  }
  const double speed = plans.data.step_s / best.step_s;
  return fmt::format(
      "{}: {}{} per step, {}", what_is_planned(answer), format_duration(best.step_s), interval_text(best),
      best.levels.empty()   ? std::string("one device: nothing is split")
      : best.name == "data" ? std::string("data parallelism with equal parts is the best plan")
      : speed < 1.005       ? std::string("data parallelism with equal parts is as fast within 0.5 %")
                            : fmt::format("{:.2f} times the speed of data parallelism with equal parts", speed));
}

std::string render_layer_plan_text(const LayerAnswer& answer, const ReportOptions& options) {
  std::string text = answer.published ? published_page(answer) : measured_page(answer);
  if (!answer.assumptions.empty()) text += "\nassumed\n";
  for (const std::string& sentence : answer.assumptions) {
    text += fmt::format("  {}\n", printable(sentence, options.unicode));
  }
  return options.unicode ? text : to_ascii(text);
}

}  // namespace stash
