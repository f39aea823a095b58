#include "link_rate_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "stash/catalog/instances.h"
#include "stash/core/least_squares.h"
#include "stash/models/models.h"
#include "stash/predict/all_reduce.h"
#include "stash/predict/simulate.h"

namespace stash::bench {
namespace {

// How far a row is off where the model is right: points of efficiency, and the logarithm of a time. Beyond that a
// residual counts linearly.
constexpr double kEfficiencySpread = 0.04;
constexpr double kTimeSpread = 0.2;
constexpr double kManyRows = 20;  // rows of one machine beyond this add little: they err together

// One figure of one or several transports that share it, where the fit starts and what it is drawn to, and how
// strongly: the spread of its logarithm.
struct FittedFigure {
  std::vector<Transport> transports;
  double LinkRates::* field;
  double prior;
  double spread;
};

const std::vector<FittedFigure>& fitted_figures() {
  using enum Transport;
  static const std::vector<Transport> all{nvswitch,   nvls, nvlink,   pcie, host, server, gather,
                                          infiniband, efa,  efa_host, ena,  tcp,  grpc};
  static const std::vector<Transport> fast{nvswitch, nvls, nvlink}, slow{pcie, host, server, gather},
      between{infiniband, efa, efa_host, ena, tcp, grpc};
  static const std::vector<FittedFigure> figures{
      {{nvswitch}, &LinkRates::reached_ratio, 0.78, 0.1},
      {{nvls}, &LinkRates::reached_ratio, 1.06, 0.1},
      {{nvlink}, &LinkRates::reached_ratio, 0.8, 0.3},
      {{pcie}, &LinkRates::reached_ratio, 0.6, 0.4},
      {{host}, &LinkRates::reached_ratio, 0.6, 0.5},
      {{server}, &LinkRates::reached_ratio, 0.8, 0.4},
      {{gather}, &LinkRates::reached_ratio, 0.35, 0.4},  // a copy into the host's memory, then one out of it
      {{infiniband}, &LinkRates::reached_ratio, 0.8, 0.2},
      {{efa}, &LinkRates::reached_ratio, 0.75, 0.3},
      {{efa_host}, &LinkRates::reached_ratio, 0.6, 0.3},
      {{ena}, &LinkRates::reached_ratio, 0.95, 0.2},  // of what a connection is allowed; the rest are headers
      {{tcp}, &LinkRates::reached_ratio, 0.8, 0.3},
      {{grpc}, &LinkRates::reached_ratio, 0.7, 0.3},
      {all, &LinkRates::call_s, 20e-6, 0.5},
      {all, &LinkRates::ramp_ratio, 0.5, 0.7},
      {{nvswitch, nvls}, &LinkRates::hop_s, 3e-6, 0.7},
      {{nvlink}, &LinkRates::hop_s, 4e-6, 0.7},
      {slow, &LinkRates::hop_s, 8e-6, 0.7},
      {{infiniband}, &LinkRates::hop_s, 10e-6, 0.7},
      {{efa, efa_host}, &LinkRates::hop_s, 30e-6, 0.7},
      {{ena}, &LinkRates::hop_s, 50e-6, 0.7},
      {{tcp, grpc}, &LinkRates::hop_s, 50e-6, 0.7},
      {{nvswitch, nvls}, &LinkRates::overlap_ratio, 0.3, 0.7},
      {{nvlink}, &LinkRates::overlap_ratio, 0.3, 0.7},
      {{pcie}, &LinkRates::overlap_ratio, 0.3, 0.7},
      {{host, server, gather}, &LinkRates::overlap_ratio, 0.3, 0.7},
      {{infiniband, efa, efa_host}, &LinkRates::overlap_ratio, 0.3, 0.7},
      {{ena, tcp}, &LinkRates::overlap_ratio, 0.3, 0.7},
      {{grpc}, &LinkRates::overlap_ratio, 0.3, 0.7},
      {fast, &LinkRates::contention_ratio, 0.01, 1},
      {slow, &LinkRates::contention_ratio, 0.01, 1},
      {fast, &LinkRates::wait_ratio, 0.02, 1},
      {slow, &LinkRates::wait_ratio, 0.02, 1},
      {between, &LinkRates::wait_ratio, 0.01, 1},
      {all, &LinkRates::wait_doubling_ratio, 0.005, 1},
  };
  return figures;
}

double bounded(double residual, double spread) {
  const double relative = residual / spread;
  return std::copysign(std::sqrt(2 * (std::sqrt(1 + relative * relative) - 1)), relative);
}

Vector prior_logs() {
  Vector logs;
  for (const FittedFigure& figure : fitted_figures()) logs.push_back(std::log(figure.prior));
  return logs;
}

std::vector<LinkRateRow> rates_of(const Vector& logs) {
  std::vector<LinkRateRow> rates(kTransports);
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i].transport = static_cast<Transport>(i);
  const std::vector<FittedFigure>& figures = fitted_figures();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    for (const Transport transport : figures[i].transports) {
      rates[static_cast<std::size_t>(transport)].rates.*figures[i].field = std::exp(logs[i]);
    }
  }
  return rates;
}

DescribedCluster described(const ScalingCase& one, const LinkRateLookup& rates) {
  const ScalingRow& row = one.row;
  DescribedCluster cluster = describe_cluster(*row.instance, row.nodes, row.gpus / row.nodes, row.what_if, rates);
  cluster.cluster.copy_bytes_per_s.reset();
  return cluster;
}

std::map<std::string, double> weights_by_machine(const std::vector<const ScalingCase*>& cases) {
  std::map<std::string, double> weights;
  for (const ScalingCase* one : cases) ++weights[one->row.machine];
  for (auto& [machine, weight] : weights) weight = 1 / std::sqrt(1 + weight / kManyRows);
  return weights;
}

void halve_gradients(StepJob& step) {
  for (StepLayer& layer : step.layers) layer.gradient_bytes /= 2;
  for (std::int64_t& bytes : step.buckets) bytes /= 2;
}

// Which transport's rate a row tells about.
Transport told_transport(const DescribedCluster& cluster, const Instance& instance, const WhatIf& what_if) {
  const bool serves = what_if.all_reduce == AllReduce::server;
  if (cluster.cluster.nodes > 1) return serves ? Transport::grpc : network_transport(instance);
  if (serves) return Transport::server;
  if (what_if.all_reduce == AllReduce::gather) return Transport::gather;
  Transport used = Transport::pcie;
  describe_cluster(instance, 1, cluster.cluster.ranks_per_node, what_if, [&](Transport transport, std::string_view) {
    used = transport;
    return link_rates(transport);
  });
  return used;
}

}  // namespace

std::optional<ScalingCase> make_case(const ScalingRow& row, std::string& why) {
  PredictJob job;
  ModelOptions options{.image_size = row.image_size};
  if (row.seq_len > 0) options.seq_len = row.seq_len;
  job.graph = make_model(row.model, options);
  job.dtype = row.dtype;
  job.batch = row.batch;
  job.global_batch = row.batch * row.accumulation * row.gpus;
  const Gpu* gpu = known_gpu(*row.instance);
  if (gpu == nullptr) return why = "the rates of its GPU are not known: " + row.instance->gpu, std::nullopt;
  job.reduces_at_end = row.reduces_at_end;
  // One GPU takes the whole batch in as many more passes.
  const int passes = row.accumulation * row.gpus;
  job.measured = {MeasuredStep{.instance = *row.instance, .step_s = row.single_s * passes}};
  WhatIf what_if = row.what_if;
  if (row.nodes > 1 && !row.instance->network_bytes_per_s && !what_if.network_bytes_per_s) {
    return why = "the rate of its network is not published", std::nullopt;
  }
  auto setting = Predictor(job, what_if).setting_on(*row.instance, row.nodes, row.gpus);
  if (const auto* rejected = std::get_if<Rejected>(&setting)) return why = rejected->why, std::nullopt;
  ScalingCase one{.row = row,
                  .step = std::get<Setting>(setting).step,
                  .alone_s = 0,
                  .uncertainty = std::get<Setting>(setting).uncertainty};
  if (row.halves_gradients) halve_gradients(one.step);
  one.alone_s = simulate_step_s(one.step, {}, Condition::solo);
  return one;
}

double ScalingCase::efficiency(const LinkRateLookup& rates) const {
  return alone_s / simulate_step_s(step, described(*this, rates).cluster, Condition::joined);
}

Estimate ScalingCase::interval(const LinkRateLookup& rates) const {
  const DescribedCluster cluster = described(*this, rates);
  Uncertainty with = uncertainty;
  if (cluster.links) with.links_ratio = cluster.links->uncertainty_ratio();
  if (cluster.network) with.network_ratio = cluster.network->uncertainty_ratio();
  StepJob trains = step;
  trains.input.reset();
  const Estimate time = simulate_with_intervals(trains, cluster.cluster, with).step;
  return {alone_s / time.s, alone_s / time.high_s, alone_s / time.low_s};
}

double all_reduce_s(const LinkRow& row, const LinkRateLookup& rates) {
  const Cluster cluster = describe_cluster(*row.instance, row.nodes, row.gpus / row.nodes, row.what_if, rates).cluster;
  return AllReduceChoice::among_all(cluster).for_bytes(row.bytes).s(row.bytes);
}

LinkRateLookup lookup_in(const std::vector<LinkRateRow>& rates) {
  return [&rates](Transport transport, std::string_view machine) {
    const LinkRateRow* found = nullptr;
    for (const LinkRateRow& row : rates) {
      if (row.transport != transport) continue;
      if (row.machine == machine) return row;
      if (row.machine.empty()) found = &row;
    }
    return *found;
  };
}

std::vector<LinkRateRow> fit_link_rates(const std::vector<const ScalingCase*>& cases,
                                        const std::vector<const LinkRow*>& links) {
  const Vector prior = prior_logs();
  const std::map<std::string, double> weights = weights_by_machine(cases);
  const auto residuals = [&](const Vector& logs) {
    const std::vector<LinkRateRow> rates = rates_of(logs);
    const LinkRateLookup lookup = lookup_in(rates);
    Vector result;
    for (const ScalingCase* one : cases) {
      const double off = one->efficiency(lookup) - one->row.efficiency;
      result.push_back(weights.at(one->row.machine) * bounded(off, kEfficiencySpread));
    }
    for (const LinkRow* row : links) {
      result.push_back(bounded(std::log(all_reduce_s(*row, lookup) / row->s), kTimeSpread));
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
      result.push_back((logs[i] - prior[i]) / fitted_figures()[i].spread);
    }
    return result;
  };
  return rates_of(least_squares(residuals, prior));
}

std::vector<LinkRateRow> with_machines(std::vector<LinkRateRow> rates, const std::vector<const ScalingCase*>& cases,
                                       const std::vector<const LinkRow*>& links) {
  constexpr double kMachineSpread = 0.5;  // of a machine's reached ratio around its transport's
  constexpr int kFewestRows = 4;
  struct Told {
    std::vector<const ScalingCase*> cases;
    std::vector<const LinkRow*> links;
  };
  std::map<std::pair<Transport, std::string>, Told> told;
  const LinkRateLookup fitted = lookup_in(rates);
  for (const ScalingCase* one : cases) {
    const DescribedCluster cluster = described(*one, fitted);
    if (one->row.what_if.network_bytes_per_s) continue;  // another network than the machine's
    told[{told_transport(cluster, *one->row.instance, one->row.what_if), one->row.instance->name}].cases.push_back(one);
  }
  for (const LinkRow* row : links) {
    const DescribedCluster cluster = describe_cluster(*row->instance, row->nodes, row->gpus / row->nodes, {}, fitted);
    told[{told_transport(cluster, *row->instance, {}), row->instance->name}].links.push_back(row);
  }
  std::map<Transport, std::vector<double>> offsets;
  std::vector<LinkRateRow> machines;
  for (const auto& [key, rows] : told) {
    LinkRateRow own = fitted(key.first, "");
    const int count = static_cast<int>(rows.cases.size() + rows.links.size());
    const double transport_ratio = own.rates.reached_ratio;
    own.machine = key.second;
    own.rows = count;
    for (LinkRateRow& row : rates) row.rows += row.transport == key.first ? count : 0;
    const auto residuals = [&](const Vector& logs) {
      std::vector<LinkRateRow> tried = rates;
      own.rates.reached_ratio = transport_ratio * std::exp(logs[0]);
      tried.push_back(own);
      const LinkRateLookup lookup = lookup_in(tried);
      Vector result{logs[0] / kMachineSpread};
      const double weight = 1 / std::sqrt(1 + static_cast<double>(rows.cases.size()) / kManyRows);
      for (const ScalingCase* one : rows.cases) {
        result.push_back(weight * bounded(one->efficiency(lookup) - one->row.efficiency, kEfficiencySpread));
      }
      for (const LinkRow* row : rows.links) {
        result.push_back(bounded(std::log(all_reduce_s(*row, lookup) / row->s), kTimeSpread));
      }
      return result;
    };
    const double offset = least_squares(residuals, {0.0})[0];
    own.rates.reached_ratio = transport_ratio * std::exp(offset);
    offsets[key.first].push_back(offset);
    if (count >= kFewestRows) machines.push_back(own);
  }
  for (LinkRateRow& row : rates) {
    double squares = 0;
    for (const double offset : offsets[row.transport]) squares += offset * offset;
    const double count = static_cast<double>(offsets[row.transport].size());
    row.rates.spread =
        count > 0 ? std::sqrt((squares + kMachineSpread * kMachineSpread) / (count + 1)) : kMachineSpread;
  }
  for (LinkRateRow& row : machines) row.rates.spread = fitted(row.transport, "").rates.spread;
  std::ranges::move(machines, std::back_inserter(rates));
  return rates;
}

}  // namespace stash::bench
