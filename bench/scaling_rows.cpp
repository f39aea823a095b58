#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <set>

#include "error_table.h"
#include "link_rate_fit.h"

// How well predictions of several GPUs agree with published throughputs and all-reduces, for machines that the fit of
// links has not seen; `--fit` prints catalog/link_rates.csv.

namespace stash::bench {
namespace {

struct Material {
  std::vector<ScalingCase> cases;
  std::vector<LinkRow> links;
};

// Throughputs of the same job: as efficiencies, in points, and as times.
struct Errors {
  std::map<std::string, std::vector<double>> points;
  std::map<std::string, int> covered;
  ErrorTable throughput;

  void add(const std::string& group, double predicted, const Estimate& interval, double published) {
    points[group].push_back(predicted - published);
    covered[group] += interval.low_s <= published && published <= interval.high_s;
    throughput.add(group, predicted, published);
  }

  void print(const char* title) const {
    fmt::print("\n{:<40} {:>5} {:>7} {:>7} {:>7} {:>9} {:>9}\n", title, "rows", "mean", "95th", "bias", "thr. mean",
               "covered");
    for (const auto& [group, errors] : points) {
      std::vector<double> sizes;
      double sum = 0, bias = 0;
      for (const double error : errors) {
        sizes.push_back(std::abs(error));
        sum += std::abs(error);
        bias += error;
      }
      std::ranges::sort(sizes);
      const double count = static_cast<double>(sizes.size());
      const double high = sizes[static_cast<std::size_t>(0.95 * (count - 1))];
      fmt::print("{:<40.40} {:>5} {:>7.1f} {:>7.1f} {:>+7.1f} {:>8.1f}% {:>8.0f}%\n", group, errors.size(),
                 100 * sum / count, 100 * high, 100 * bias / count, 100 * throughput.mean(group),
                 100 * covered.at(group) / count);
    }
  }
};

std::string where(const ScalingCase& one) { return one.row.nodes > 1 ? "across nodes" : "one node"; }

void print_errors(const Material& material, const std::vector<Estimate>& predicted) {
  Errors by_place, by_source, by_framework, by_machine, by_model, by_gpus;
  for (std::size_t i = 0; i < material.cases.size(); ++i) {
    const ScalingRow& row = material.cases[i].row;
    const auto add = [&](Errors& errors, const std::string& group) {
      errors.add(group, predicted[i].s, predicted[i], row.efficiency);
    };
    add(by_place, where(material.cases[i]));
    add(by_source, row.source);
    add(by_framework, row.framework);
    add(by_machine, fmt::format("{}, {}", row.instance->name, where(material.cases[i])));
    add(by_model, row.model);
    add(by_gpus, fmt::format("{:>4} GPUs on {:>2} nodes", row.gpus, row.nodes));
  }
  by_place.print("efficiency, points");
  by_source.print("by source");
  by_framework.print("by framework");
  by_machine.print("by machine");
  by_model.print("by model");
  by_gpus.print("by number of GPUs");
}

// One line per throughput, to look for what errors have in common.
void print_rows(const Material& material, const std::vector<Estimate>& predicted) {
  fmt::print("machine,model,framework,dtype,batch,accumulation,gpus,nodes,single_s,published,predicted,low,high\n");
  for (std::size_t i = 0; i < material.cases.size(); ++i) {
    const ScalingRow& row = material.cases[i].row;
    const Estimate& estimate = predicted[i];
    fmt::print("{},{},\"{}\",{},{},{},{},{},{:.5g},{:.3f},{:.3f},{:.3f},{:.3f}\n", row.instance->name, row.model,
               row.framework, to_string(row.dtype), row.batch, row.accumulation, row.gpus, row.nodes, row.single_s,
               row.efficiency, estimate.s, estimate.low_s, estimate.high_s);
  }
}

void print_link_rows(const Material& material, const std::vector<double>& predicted_s) {
  fmt::print("\nmachine,gpus,nodes,bytes,published_s,predicted_s\n");
  for (std::size_t i = 0; i < material.links.size(); ++i) {
    const LinkRow& row = material.links[i];
    fmt::print("{},{},{},{:.0f},{:.4g},{:.4g}\n", row.instance->name, row.gpus, row.nodes, row.bytes, row.s,
               predicted_s[i]);
  }
}

// Figures of each machine from a fit that has not seen it.
void leave_out(const Material& material, bool rows) {
  std::set<std::string> machines;
  for (const ScalingCase& one : material.cases) machines.insert(one.row.instance->name);
  for (const LinkRow& row : material.links) machines.insert(row.instance->name);
  std::vector<Estimate> predicted(material.cases.size());
  std::vector<double> links_s(material.links.size());
  ErrorTable all_reduces;
  for (const std::string& left_out : machines) {
    std::vector<const ScalingCase*> cases;
    std::vector<const LinkRow*> links;
    for (const ScalingCase& one : material.cases) {
      if (one.row.instance->name != left_out) cases.push_back(&one);
    }
    for (const LinkRow& row : material.links) {
      if (row.instance->name != left_out) links.push_back(&row);
    }
    std::vector<LinkRateRow> rates = with_machines(fit_link_rates(cases, links), cases, links);
    const LinkRateLookup lookup = lookup_in(rates);
    for (std::size_t i = 0; i < material.cases.size(); ++i) {
      if (material.cases[i].row.instance->name == left_out) predicted[i] = material.cases[i].interval(lookup);
    }
    for (std::size_t i = 0; i < material.links.size(); ++i) {
      const LinkRow& row = material.links[i];
      if (row.instance->name != left_out) continue;
      links_s[i] = all_reduce_s(row, lookup);
      for (const std::string& group : {std::string("all"), left_out}) all_reduces.add(group, links_s[i], row.s);
    }
  }
  if (rows) {
    print_rows(material, predicted);
    return print_link_rows(material, links_s);
  }
  fmt::print("One machine left out at a time\n");
  print_errors(material, predicted);
  fmt::print("\n{:<40} {:>5} {:>7} {:>7}\n", "all-reduces from 1 MB on, % of the time", "rows", "mean", "95th");
  for (const auto& [group, errors] : all_reduces.groups()) {
    fmt::print("{:<40} {:>5} {:>7.1f} {:>7.1f}\n", group, errors.size(), 100 * all_reduces.mean(group),
               100 * all_reduces.quantile(group, 0.95));
  }
}

void print_fit(const Material& material) {
  std::vector<const ScalingCase*> cases;
  std::vector<const LinkRow*> links;
  for (const ScalingCase& one : material.cases) cases.push_back(&one);
  for (const LinkRow& row : material.links) links.push_back(&row);
  fmt::print(
      "transport,machine,reached_ratio,call_s,hop_s,ramp_ratio,overlap_ratio,contention_ratio,wait_ratio,wait_doubling_"
      "ratio,spread,"
      "rows,source\n");
  for (const LinkRateRow& row : with_machines(fit_link_rates(cases, links), cases, links)) {
    const LinkRates& r = row.rates;
    fmt::print("{},{},{:.3g},{:.3g},{:.3g},{:.3g},{:.3g},{:.3g},{:.3g},{:.3g},{:.3g},{},bench/scaling_rows\n",
               to_string(row.transport), row.machine, r.reached_ratio, r.call_s, r.hop_s, r.ramp_ratio, r.overlap_ratio,
               r.contention_ratio, r.wait_ratio, r.wait_doubling_ratio, r.spread, row.rows);
  }
}

void check_committed_rates(const Material& material, bool rows) {
  std::vector<Estimate> predicted;
  for (const ScalingCase& one : material.cases) predicted.push_back(one.interval(link_rates));
  if (rows) return print_rows(material, predicted);
  fmt::print("With the figures of catalog/link_rates.csv, nothing left out\n");
  print_errors(material, predicted);
}

Material read_material(const std::string& scaling, const std::string& links) {
  Material material;
  std::map<std::string, int> cannot;
  const ScalingRows read = read_scaling_rows(scaling);
  for (const ScalingRow& row : read.rows) {
    std::string why;
    if (auto one = make_case(row, why)) {
      material.cases.push_back(std::move(*one));
    } else {
      ++cannot[why];
    }
  }
  material.links = read_link_rows(links);
  fmt::print(stderr, "{} throughputs and {} all-reduces; left out:\n", material.cases.size(), material.links.size());
  for (const std::string& line : read.left_out) fmt::print(stderr, "{}\n", line);
  for (const auto& [why, count] : cannot) fmt::print(stderr, "{:>4} {}\n", count, why);
  return material;
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  using namespace stash::bench;
  CLI::App app("Published throughputs and all-reduces beside predictions");
  std::string scaling = "data/scaling_measured.csv", links = "data/links_measured.csv";
  std::string without;
  bool fits = false, committed = false, rows = false;
  app.add_option("--scaling", scaling, "Published throughputs")->capture_default_str();
  app.add_option("--links", links, "Published all-reduces")->capture_default_str();
  app.add_flag("--fit", fits, "Print catalog/link_rates.csv, fitted to all rows");
  app.add_option("--without", without, "Machine whose rows the fit does not see");
  app.add_flag("--committed", committed, "Errors with catalog/link_rates.csv, without leaving anything out");
  app.add_flag("--rows", rows, "Every throughput beside its prediction, as CSV, in place of the tables");
  CLI11_PARSE(app, argc, argv);
  Material material = read_material(scaling, links);
  std::erase_if(material.cases, [&](const ScalingCase& one) { return one.row.instance->name == without; });
  std::erase_if(material.links, [&](const LinkRow& row) { return row.instance->name == without; });
  if (fits) {
    print_fit(material);
  } else if (committed) {
    check_committed_rates(material, rows);
  } else {
    leave_out(material, rows);
  }
  return 0;
}
