#include "stash/predict/simulate.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/attribute/published.h"
#include "stash/core/applies.h"
#include "stash/core/error.h"
#include "stash/predict/all_reduce.h"
#include "stash/predict/group_waits.h"
#include "stash/predict/input.h"
#include "stash/predict/training.h"

namespace stash {
namespace {

double latest_s(const Cluster& cluster) {
  double latest_s = 0;
  for (const auto& [rank, late_s] : cluster.late_s) latest_s = std::max(latest_s, late_s);
  return latest_s;
}

// The first rank of each node, which is the one that computes under `solo`.
Cluster first_ranks(const Cluster& cluster) {
  Cluster firsts;
  firsts.nodes = cluster.nodes;
  for (const auto& [rank, late_s] : cluster.late_s) {
    if (rank % cluster.ranks_per_node == 0) firsts.late_s[rank / cluster.ranks_per_node] = late_s;
  }
  return firsts;
}

JobShape job_shape(const StepJob& job, const Cluster& cluster) {
  return {.shares_nodes = cluster.ranks_per_node > 1,
          .several_nodes = cluster.nodes > 1,
          .copies_batches = cluster.copy_bytes_per_s.has_value(),
          .reads_input = job.input.has_value()};
}

Estimate exactly(double s) { return {s, s, s}; }

// What all conditions of a job share is worked out once.
class Simulation {
 public:
  Simulation(const StepJob& job, const Cluster& cluster, const StepMethod& method)
      : job_(job), cluster_(cluster), method_(method) {
    check(job);
    check(cluster);
    shape_ = shape_of(job);
    among_node_ = AllReduceChoice::among_node(cluster);
    among_all_ = AllReduceChoice::among_all(cluster);
    latest_s_ = latest_s(cluster);
    if (cluster.ranks_per_node > 1) slow_down_ = cluster.contention_ratio;
    if (cluster.copy_bytes_per_s) copy_s_ = job.batch * job.sample_device_bytes / shared_copy_bytes_per_s(cluster);
  }

  double step_s(Condition condition) const {
    switch (condition) {
      case Condition::solo:
        return without_input_s({job_, shape_, nothing_}, first_ranks(cluster_), true, 0);
      case Condition::apart:
        return without_input_s({job_, shape_, nothing_, slow_down_}, cluster_, true, 0);
      case Condition::node:
        return without_input_s(
            {job_, shape_, among_node_, slow_down_, cluster_.node_costs, cluster_.in_flight, groups_s(true)}, cluster_,
            true, 0);
      case Condition::joined:
        return without_input_s(joined(), cluster_, false, 0);
      case Condition::staged:
        return staged_s();
      case Condition::hot:
        return job_.input ? with_input_s(1) : staged_s();
      default:
        return job_.input ? with_input_s(0) : staged_s();
    }
  }

  // A line for each group, and one for what ranks wait for each other beside it.
  std::vector<GroupTime> communication(const Ledger& ledger) const {
    std::vector<GroupTime> lines;
    double rest_s = 0;
    for (const Part part : {Part::interconnect, Part::network}) rest_s += ledger[part] ? ledger[part]->s : 0;
    const PassTimes passes{shape_.forward_s * slow_down_, shape_.backward_s * slow_down_, job_.accumulation};
    for (const StepGroup& group : job_.groups) {
      GroupTime& line = lines.emplace_back();
      line.name = group.name;
      line.ranks = group.ranks;
      line.operations = group.operations;
      line.between_nodes = ranks_on_node(group, cluster_) < group.ranks;
      const double s = exposed_s(group, cluster_, false, passes);
      line.exposed = exactly(s);
      rest_s -= s;
    }
    if (!lines.empty()) lines.emplace_back().exposed = exactly(rest_s);
    return lines;
  }

  double with_input_s(double cached_ratio) const {
    const Consumption used = consumption(joined());
    if (method_.with_input_s) return method_.with_input_s(job_, cluster_, used, cached_ratio);
    const SampleTimes times = sample_times(job_, cluster_, cached_ratio);
    if (const std::optional<double> step_s = steady_step_s(job_, cluster_, times, used)) return *step_s;
    return run_input(job_, cluster_, used, {.cached_ratio = cached_ratio}).s;
  }

 private:
  Training joined() const {
    const SideCosts& costs = cluster_.nodes > 1 ? cluster_.joined_costs : cluster_.node_costs;
    return {job_, shape_, among_all_, slow_down_, costs, cluster_.in_flight, groups_s(false)};
  }

  double groups_s(bool nodes_apart) const {
    double sum_s = 0;
    for (const StepGroup& group : job_.groups) {
      sum_s += exposed_s(group, cluster_, nodes_apart,
                         {shape_.forward_s * slow_down_, shape_.backward_s * slow_down_, job_.accumulation});
    }
    return sum_s;
  }

  Consumption consumption(const Training& training) const {
    return {.accumulation = job_.accumulation,
            .overhead_s = job_.overhead_s * training.slow_down,
            .micro_batch_s = (shape_.forward_s + shape_.backward_s) * training.slow_down,
            .last_s = last_micro_batch_s(training),
            .copy_s = copy_s_,
            .copies_overlap = cluster_.copies_overlap};
  }

  double without_input_s(const Training& training, const Cluster& cluster, bool nodes_apart, double copy_s) const {
    if (method_.step_s) return method_.step_s(training, cluster, nodes_apart, copy_s);
    Consumption used = consumption(training);
    used.copy_s = copy_s;
    return used.step_s(&cluster == &cluster_ ? latest_s_ : latest_s(cluster));
  }

  double staged_s() const {
    const Training all = joined();
    if (method_.step_s && !cluster_.copies_overlap) return without_input_s(all, cluster_, false, copy_s_);
    return consumption(all).step_s(latest_s_);
  }

  const StepJob& job_;
  const Cluster& cluster_;
  const StepMethod& method_;
  StepShape shape_;
  AllReduceChoice nothing_, among_node_, among_all_;
  double latest_s_ = 0;
  double slow_down_ = 1;
  double copy_s_ = 0;
};

// The rank that comes last, where there are others to compare it with; under `solo` a node's first rank is.
std::optional<LateRank> late_rank(const Cluster& cluster) {
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto latest = std::max_element(cluster.late_s.begin(), cluster.late_s.end(), by_time);
  if (latest == cluster.late_s.end() || latest->second <= 0 || cluster.nodes * cluster.ranks_per_node == 1) {
    return std::nullopt;
  }
  const bool alone = cluster.nodes > 1 && latest->first % cluster.ranks_per_node == 0;
  return LateRank{latest->first, alone ? Condition::solo : Condition::apart, latest->second, LateCause::compute};
}

}  // namespace

std::vector<Condition> present_conditions(const StepJob& job, const Cluster& cluster) {
  const JobShape shape = job_shape(job, cluster);
  std::vector<Condition> present;
  for (const Condition condition : kConditions) {
    if (applies(condition, shape)) present.push_back(condition);
  }
  return present;
}

double simulate_step_s(const StepJob& job, const Cluster& cluster, Condition condition, const StepMethod& method) {
  return Simulation(job, cluster, method).step_s(condition);
}

double simulate_cached_s(const StepJob& job, const Cluster& cluster, double cached_ratio, const StepMethod& method) {
  if (!(cached_ratio >= 0 && cached_ratio <= 1)) {
    throw Error(fmt::format("a share of {} cannot be cached; it must be from 0 to 1", cached_ratio));
  }
  if (!job.input) throw Error("what is cached does not matter to a job whose input is unknown");
  return Simulation(job, cluster, method).with_input_s(cached_ratio);
}

// The running sum stands for T(c), as in attribute(), so that the parts add up to it to the last bit.
Ledger simulate_ledger(const StepJob& job, const Cluster& cluster, const StepMethod& method) {
  const Simulation simulation(job, cluster, method);
  const JobShape shape = job_shape(job, cluster);
  Ledger ledger;
  double sum_s = 0, before_s = 0;
  for (const Condition condition : kConditions) {
    if (!applies(condition, shape)) continue;
    const double step_s = simulation.step_s(condition);
    const double part_s = step_s - before_s;
    ledger[part_added_by(condition)] = exactly(part_s);
    sum_s += part_s;
    ledger.step = ledger.step_by_condition[condition] = exactly(sum_s);
    before_s = step_s;
  }
  ledger.published = published_ratios(ledger, cluster.nodes * cluster.ranks_per_node, cluster.nodes);
  ledger.late_rank = late_rank(cluster);
  ledger.communication = simulation.communication(ledger);
  return ledger;
}

}  // namespace stash
