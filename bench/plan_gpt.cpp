#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <list>
#include <map>
#include <set>

#include "error_table.h"
#include "gpt_rows.h"
#include "stash/core/least_squares.h"

// Published steps of GPT on A100s against what `stash plan` says of the same plans: what it costs to run a language
// model, fitted with groups of rows left out, and how well the steps of these are predicted.

namespace stash::bench {
namespace {

struct Fitted {
  double GptCosts::* member;
  double spread;  // of the logarithm, beforehand
};
constexpr std::array kFitted{Fitted{&GptCosts::launch_ratio, 0.1},
                             Fitted{&GptCosts::width_power, 0.5},
                             Fitted{&GptCosts::whole_head_ratio, 0.5},
                             Fitted{&GptCosts::split_head_ratio, 0.5},
                             Fitted{&GptCosts::whole_loss_ratio, 0.5},
                             Fitted{&GptCosts::split_loss_ratio, 0.5},
                             Fitted{&GptCosts::split_loss_s, 0.5},
                             Fitted{&GptCosts::sum_host_s, 1},
                             Fitted{&GptCosts::plain_softmax_host_s, 1},
                             Fitted{&GptCosts::crowd_host_s, 0.5},
                             Fitted{&GptCosts::crowd_power, 0.3},
                             Fitted{&GptCosts::waits_ratio, 0.7},
                             Fitted{&GptCosts::handed_s, 1}};
constexpr double kSeveralWeight = 2;  // of a row of several nodes: there are few
// Half of the rows of several nodes are far off what any model of the machine says; a residual counts less the larger.
constexpr double kResidual = 0.05;

GptCosts costs_of(const Vector& logs) {
  GptCosts costs;
  for (std::size_t i = 0; i < kFitted.size(); ++i) costs.*kFitted[i].member = std::exp(logs[i]);
  return costs;
}

Vector start() {
  const GptCosts costs;
  Vector logs;
  for (const Fitted& fitted : kFitted) logs.push_back(std::log(costs.*fitted.member));
  return logs;
}

double soft(double residual) {
  return std::copysign(std::sqrt(2 * (std::sqrt(1 + residual * residual) - 1)), residual);
}

GptCosts fit(const std::vector<GptRow>& rows) {
  const Vector prior = start();
  return costs_of(least_squares(
      [&](const Vector& logs) {
        const GptCosts costs = costs_of(logs);
        Vector residuals;
        for (const GptRow& row : rows) {
          const double s = GptStepper(row.job, costs).step(row.plan).step_s;
          residuals.push_back(soft(std::log(s / row.step_s) / kResidual) *
                              (row.plan.recompute == Recompute::full ? kSeveralWeight : 1));
        }
        for (std::size_t i = 0; i < logs.size(); ++i) residuals.push_back((logs[i] - prior[i]) / kFitted[i].spread);
        return residuals;
      },
      prior));
}

void print(const ErrorTable& errors) {
  for (const auto& [group, values] : errors.groups()) {
    fmt::print("  {:<26} {:>4} {:>6.1f} {:>6.1f} {:>6.1f} {:>6.1f}\n", group, values.size(), 100 * errors.mean(group),
               100 * errors.quantile(group, 0.5), 100 * errors.quantile(group, 0.95), 100 * errors.quantile(group, 1));
  }
}

void print(const GptCosts& costs) {
  fmt::print(
      "launch_ratio {:.3f} width_power {:.3f} whole_head_ratio {:.3f} split_head_ratio {:.3f} whole_loss_ratio {:.3f} "
      "split_loss_ratio {:.3f} split_loss_s {:.3g} sum_host_s {:.3g} sum_wait_s {:.3g} plain_softmax_host_s {:.3g} "
      "crowd_host_s {:.3g} crowd_power {:.2f} waits_ratio {:.3f} handed_s {:.3g}\n",
      costs.launch_ratio, costs.width_power, costs.whole_head_ratio, costs.split_head_ratio, costs.whole_loss_ratio,
      costs.split_loss_ratio, costs.split_loss_s, costs.sum_host_s, costs.sum_wait_s, costs.plain_softmax_host_s,
      costs.crowd_host_s, costs.crowd_power, costs.waits_ratio, costs.handed_s);
}

std::string split_of(const GptPlan& plan) {
  std::string text;
  if (plan.tensor > 1) text += " tensor";
  if (plan.pipeline > 1) text += " pipeline";
  if (plan.data > 1) text += " data";
  return text.empty() ? "one GPU" : text.substr(1);
}

void add(ErrorTable& errors, const GptRow& row, const GptCosts& costs) {
  const double s = GptStepper(row.job, costs).step(row.plan).step_s;
  for (const std::string& key : {std::string("all"), row.group(), split_of(row.plan)}) errors.add(key, s, row.step_s);
}

void check_folds(const char* what, const std::vector<GptRow>& rows, const std::vector<GptRow>& others) {
  std::set<std::string> groups;
  for (const GptRow& row : rows) groups.insert(row.group());
  ErrorTable errors;
  for (const std::string& left_out : groups) {
    std::vector<GptRow> train = others;
    for (const GptRow& row : rows) {
      if (row.group() != left_out) train.push_back(row);
    }
    const GptCosts costs = fit(train);
    for (const GptRow& row : rows) {
      if (row.group() == left_out) add(errors, row, costs);
    }
  }
  fmt::print(
      "{}, a hidden size and number of layers left out at a time: rows, error in %: mean, median, 95th, largest\n",
      what);
  print(errors);
}

void print_row(const GptRow& row, const GptStep& step) {
  fmt::print(
      "{:>6.1f}  tensor {:>2} pipeline {:>2} data {:>2} micro-batch {:>2} of {:>4}, {:<23} {:>8.0f} ms {:>8.0f} "
      "predicted\n",
      100 * (step.step_s / row.step_s - 1), row.plan.tensor, row.plan.pipeline, row.plan.data, row.plan.micro_batch,
      row.job.global_batch, row.group(), row.step_s * 1e3, step.step_s * 1e3);
}

// The published row that is planned as the fastest of its model, GPUs and batch, against the one that was.
void check_best(const char* what, const std::vector<GptRow>& rows, bool verbose) {
  struct Best {
    double planned_s = 1e300, measured_of_planned_s = 0, measured_s = 1e300;
    int rows = 0;
  };
  std::map<std::string, Best> groups;
  for (const GptRow& row : rows) {
    Best& best = groups[fmt::format("{} gpus {} batch {}", row.group(), row.job.gpus(), row.job.global_batch)];
    const double s = GptStepper(row.job).step(row.plan).step_s;
    if (s < best.planned_s) best.planned_s = s, best.measured_of_planned_s = row.step_s;
    best.measured_s = std::min(best.measured_s, row.step_s);
    ++best.rows;
  }
  int within = 0, several = 0;
  double worst = 1;
  for (const auto& [group, best] : groups) {
    if (verbose && best.rows > 1 && best.measured_of_planned_s > 1.03 * best.measured_s)
      fmt::print("  {} {:.1f} %\n", group, 100 * (best.measured_of_planned_s / best.measured_s - 1));
    if (best.rows < 2) continue;
    ++several;
    const double ratio = best.measured_of_planned_s / best.measured_s;
    within += ratio <= 1.03 ? 1 : 0;
    worst = std::max(worst, ratio);
  }
  fmt::print(
      "{}: in {} of {} groups the row planned as the best is within 3 % of the best that was measured; at most {:.1f} "
      "% behind\n",
      what, within, several, 100 * (worst - 1));
}

void check_committed(const char* what, const std::vector<GptRow>& rows, bool verbose) {
  ErrorTable errors;
  int rejected = 0;
  for (const GptRow& row : rows) {
    add(errors, row, {});
    const GptStep step = GptStepper(row.job).step(row.plan);
    rejected += step.memory_ratio > 1 ? 1 : 0;
    if (verbose) print_row(row, step);
  }
  fmt::print("{}, with the committed figures; {} plans that ran do not fit\n", what, rejected);
  print(errors);
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  using namespace stash::bench;
  CLI::App app("Published steps of GPT on A100s against plans");
  std::string single = "data/gpt_step_times_a100_single_node.csv", multi = "data/gpt_step_times_a100_multi_node.csv";
  bool verbose = false, folds = false;
  app.add_flag("--rows", verbose, "Every row");
  app.add_flag("--folds", folds, "Fit with groups left out");
  CLI11_PARSE(app, argc, argv);
  const std::vector<GptRow> one = read_gpt_rows(single, false), several = read_gpt_rows(multi, true);
  check_committed("one node", one, verbose);
  check_committed("several nodes", several, verbose);
  check_best("one node", one, verbose);
  check_best("several nodes", several, verbose);
  std::vector<GptRow> all = one;
  all.insert(all.end(), several.begin(), several.end());
  if (folds) {
    print(fit(all));
    check_folds("one node", one, several);
    check_folds("several nodes", several, one);
  }
  return 0;
}
