#include "stash/predict/calibrate_measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/predict/predicted_step.h"
#include "stash/predict/simulate.h"
#include "stash/predict/spread.h"

namespace stash {
namespace {

constexpr double kInterval = 1.96;  // standard deviations on each side of a 95 % interval
// Layers share the step in another way once its time is known, and so hide other buckets.
constexpr int kRefinements = 3;

std::string flag_of(const MeasuredStep& measured) {
  return fmt::format("--measured {}:{}", measured.instance.name, measured.nodes * measured.gpus_per_node);
}

// Of logarithms, as bench/scaling_rows finds them: of link rates, and of what ranks of a node lose beside each other,
// which 95 % of the programs keep below 18 %.
constexpr double kLinksSpread = 0.3;
constexpr double kBesideSpread = 0.18 / 1.96;
constexpr double kWorthTelling = 0.01;
constexpr const char* kBeside = "ranks beside each other";

// A measured step with the machine that it was measured on.
struct Observed {
  const MeasuredStep* measured = nullptr;
  const Gpu* gpu = nullptr;
  Cluster cluster;
  int passes = 1;
  std::size_t compute = 0;  // places of its factors
  std::optional<std::size_t> node_links, beside, network;
};

// The factors that are sought, each by its name.
class Factors {
 public:
  std::size_t place_of(const std::string& name, double log_spread) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    log_spreads.push_back(log_spread);
    return names.size() - 1;
  }

  std::vector<std::string> names;
  std::vector<double> log_spreads;
};

Observed observe(const PredictJob& job, const MeasuredStep& measured) {
  Observed one{.measured = &measured,
               .gpu = known_gpu(measured.instance),
               .cluster = {},
               .node_links = {},
               .beside = {},
               .network = {}};
  if (one.gpu == nullptr) {
    throw UsageError(
        fmt::format("{}: the rates of its GPU are not known, so nothing follows from it", flag_of(measured)));
  }
  DescribedCluster described = describe_cluster(measured.instance, measured.nodes, measured.gpus_per_node, {});
  if (!described.network_is_known) {
    throw UsageError(
        fmt::format("{}: the rate of its network is not known, so nothing follows from it", flag_of(measured)));
  }
  one.cluster = std::move(described.cluster);
  const int gpus = measured.nodes * measured.gpus_per_node;
  const std::optional<int> passes = passes_of(job, gpus);
  if (!passes) {
    throw UsageError(fmt::format("{}: --global-batch {} is no multiple of --batch {} on {} GPUs", flag_of(measured),
                                 *job.global_batch, job.batch, gpus));
  }
  one.passes = *passes;
  return one;
}

void place_factors(Observed& one, const PredictJob& job, Factors& factors) {
  const double compute = model_alone_spread(job.graph, *one.gpu, job.dtype) / kInterval;
  one.compute = factors.place_of("compute on " + one.gpu->name, compute);
  if (one.cluster.ranks_per_node > 1) {
    one.node_links = factors.place_of(node_links_of(one.measured->instance), kLinksSpread);
    one.beside = factors.place_of(kBeside, kBesideSpread);
  }
  if (one.cluster.nodes > 1) one.network = factors.place_of(kNetworkLinks, kLinksSpread);
}

StepJob with_factor(StepJob step, double factor) {
  for (StepLayer& layer : step.layers) {
    layer.forward_s *= factor;
    layer.backward_s *= factor;
  }
  step.optimizer_s *= factor;
  step.overhead_s *= factor;
  return step;
}

// Nobody is quicker beside others.
void scale_contention(Cluster& cluster, double ratio) {
  if (cluster.ranks_per_node > 1) cluster.contention_ratio = std::max(1.0, cluster.contention_ratio * ratio);
}

// Without input, and with copies as if they were part of the compute.
double simulated_s(const Observed& one, const StepJob& step, std::span<const double> factors) {
  const auto factor = [&](const std::optional<std::size_t>& place) { return place ? factors[*place] : 1; };
  Cluster cluster = one.cluster;
  scale_links(cluster, factor(one.node_links), factor(one.network));
  scale_contention(cluster, factor(one.beside));
  return simulate_step_s(with_factor(step, factors[one.compute]), cluster, Condition::joined);
}

// `ratios` are refined: the step on one GPU is that of the model alone times the ratio, its layers shared out anew.
std::vector<LikelyFactor> sought(const PredictJob& job, const std::vector<Observed>& all, const Factors& factors) {
  std::vector<double> ratios(factors.names.size(), 1);
  std::vector<LikelyFactor> found;
  for (int i = 0; i < kRefinements; ++i) {
    std::vector<MeasuredTime> times;
    for (const Observed& one : all) {
      const double alone_s = scaled_times(job.graph, job.batch, job.dtype, *one.gpu).compute_s();
      const StepOnGpu step{one.gpu, alone_s * ratios[one.compute], job.batch, job.dtype};
      const ScaledTimes scaled = scaled_times(job.graph, step, job.batch, job.dtype, *one.gpu);
      // The factor is one on the step of the model alone, whichever times it is refined with.
      const double known = ratios[one.compute];
      times.push_back(
          {one.measured->step_s, [&one, known, step_job = predicted_step(job, scaled, one.cluster, one.passes)](
                                     std::span<const double> values) {
             std::vector<double> rest(values.begin(), values.end());
             rest[one.compute] /= known;
             return simulated_s(one, step_job, rest);
           }});
    }
    found = most_likely(factors.log_spreads, times);
    for (std::size_t k = 0; k < ratios.size(); ++k) ratios[k] = found[k].value;
  }
  return found;
}

double high_ratio(const LikelyFactor& factor) { return std::exp(kInterval * factor.log_spread); }

std::string told(const std::string& kind, const LikelyFactor& factor) {
  const double ratio = high_ratio(factor);
  return fmt::format(
      "by the measured steps, {} carries {:.2g} times ({:.2g} to {:.2g}) what was expected; that is taken to hold for "
      "every machine {}",
      kind == kNetworkLinks ? "the network" : kind, factor.value, factor.value / ratio, factor.value * ratio,
      kind == kNetworkLinks ? "on a network" : "with " + kind);
}

std::string told_beside(const LikelyFactor& factor) {
  const double ratio = high_ratio(factor);
  return fmt::format(
      "by the measured steps, ranks beside each other compute {:.3g} times ({:.3g} to {:.3g}) as long as was expected; "
      "that is taken to hold for every machine",
      factor.value, factor.value / ratio, factor.value * ratio);
}

}  // namespace

std::string node_links_of(const Instance& instance) {
  return std::string(to_string(instance.links.value_or(GpuLinks::pcie)));
}

void scale_links(Cluster& cluster, double node_ratio, double network_ratio) {
  cluster.link_bytes_per_s *= node_ratio;
  cluster.uplink_bytes_per_s *= node_ratio;
  cluster.link_latency_s /= node_ratio;
  cluster.network_bytes_per_s *= network_ratio;
  cluster.network_latency_s /= network_ratio;
}

Calibration::Calibration(const PredictJob& job) {
  Factors factors;
  std::vector<Observed> all;
  for (const MeasuredStep& measured : job.measured) {
    all.push_back(observe(job, measured));
    place_factors(all.back(), job, factors);
    has_several_gpus_ |= measured.nodes * measured.gpus_per_node > 1;
  }
  const std::vector<LikelyFactor> found = sought(job, all, factors);
  for (const Observed& one : all) {
    if (step_s(one.gpu->name)) continue;
    const LikelyFactor& factor = found[one.compute];
    const double alone_s = scaled_times(job.graph, job.batch, job.dtype, *one.gpu).compute_s();
    compute_.push_back({{one.gpu, alone_s * factor.value, job.batch, job.dtype}, kInterval * factor.log_spread});
  }
  for (const Observed& one : all) {
    if (one.node_links) links_[factors.names[*one.node_links]] = found[*one.node_links];
    if (one.beside) beside_ = found[*one.beside];
    if (one.network) links_[kNetworkLinks] = found[*one.network];
  }
}

const Calibration::Compute& Calibration::nearest(const Gpu& target) const {
  const auto like = [&](auto same) {
    return std::ranges::find_if(compute_, [&](const Compute& one) { return same(*one.step.gpu); });
  };
  auto found = like([&](const Gpu& gpu) { return gpu.name == target.name; });
  if (found == compute_.end()) found = like([&](const Gpu& gpu) { return gpu.generation == target.generation; });
  return found == compute_.end() ? compute_.front() : *found;
}

ScaledTimes Calibration::times_on(const PredictJob& job, const Gpu& target) const {
  const Compute& from = nearest(target);
  ScaledTimes times = scaled_times(job.graph, from.step, job.batch, job.dtype, target);
  times.low_ratio = std::exp(-std::hypot(std::log(times.low_ratio), from.log_spread));
  times.high_ratio = std::exp(std::hypot(std::log(times.high_ratio), from.log_spread));
  if (has_several_gpus_) {
    times.assumptions.push_back(
        fmt::format("the step on one {} is the most likely one behind the measured steps", from.step.gpu->name));
  }
  return times;
}

StillOff Calibration::apply(const Instance& instance, const WhatIf& what_if, DescribedCluster& described) const {
  Cluster& cluster = described.cluster;
  StillOff still;
  const auto ratio = [&](const std::string& kind, std::optional<double>& off) {
    const LikelyFactor* factor = links(kind);
    if (factor == nullptr) return 1.0;
    off = high_ratio(*factor);
    described.assumptions.push_back(told(kind, *factor));
    return factor->value;
  };
  const std::string kind = what_if.links ? std::string(to_string(*what_if.links)) : node_links_of(instance);
  const bool uses_links = cluster.ranks_per_node > 1 && !what_if.link_bytes_per_s;
  const bool uses_network = cluster.nodes > 1 && !what_if.network_bytes_per_s;
  const double node_ratio = uses_links ? ratio(kind, still.links_ratio) : 1;
  const double network_ratio = uses_network ? ratio(kNetworkLinks, still.network_ratio) : 1;
  scale_links(cluster, node_ratio, network_ratio);
  if (beside_ && cluster.ranks_per_node > 1) {
    scale_contention(cluster, beside_->value);
    still.waits_more = high_ratio(*beside_) - 1;
    if (std::abs(beside_->value - 1) > kWorthTelling) described.assumptions.push_back(told_beside(*beside_));
  }
  return still;
}

const LikelyFactor* Calibration::links(const std::string& kind) const {
  const auto found = links_.find(kind);
  return found == links_.end() ? nullptr : &found->second;
}

std::optional<double> Calibration::step_s(const std::string& gpu) const {
  for (const Compute& one : compute_) {
    if (one.step.gpu->name == gpu) return one.step.step_s;
  }
  return std::nullopt;
}

}  // namespace stash
