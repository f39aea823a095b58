#include "stash/predict/group_waits.h"

#include <algorithm>

#include "stash/predict/all_reduce.h"

namespace stash {
namespace {

// The ranks of one group as a cluster of their own. Groups of the same name communicate at the same time, so those of a
// node share its network.
Cluster cluster_of(const StepGroup& group, const Cluster& whole, bool nodes_apart) {
  Cluster part = whole;
  const int per_node = ranks_on_node(group, whole);
  part.ranks_per_node = per_node;
  part.nodes = nodes_apart ? 1 : (group.ranks + per_node - 1) / per_node;
  part.network_bytes_per_s = whole.network_bytes_per_s * per_node / whole.ranks_per_node;
  if (group.apart > 1 && whole.ranks_per_uplink > 0) {
    part.ranks_per_uplink = std::max(1, whole.ranks_per_uplink / group.apart);
    part.uplink_bytes_per_s = whole.uplink_bytes_per_s * part.ranks_per_uplink / whole.ranks_per_uplink;
  }
  if (part.nodes != whole.nodes || per_node != whole.ranks_per_node) {
    part.measured_node.reset();
    part.measured_joined.reset();
  }
  part.late_s.clear();
  return part;
}

// Over that of an all-reduce of as many bytes, in a ring of n ranks.
double all_reduce_ratio(const std::string& op, int n) {
  if (op == "allreduce") return 1;
  if (op == "broadcast" || op == "reduce") return 0.5 * n / (n - 1);
  return 0.5;  // each rank sends and gets (n - 1) / n of the bytes
}

struct OpTimes {
  double gather_s = 0, scatter_s = 0, sum_s = 0, pass_s = 0, other_s = 0;
  double gathers = 0, scatters = 0, sums = 0, sends = 0;
  double all_s() const { return gather_s + scatter_s + sum_s + pass_s + other_s; }
};

double call_s(const Cluster& cluster, double bytes) {
  const AllReduceChoice choice = AllReduceChoice::among_all(cluster);
  return choice.empty() ? 0 : choice.for_bytes(bytes).s(bytes);
}

OpTimes times_of(const StepGroup& group, const Cluster& cluster) {
  OpTimes times;
  const int ranks = cluster.nodes * cluster.ranks_per_node;
  if (ranks < 2) return times;
  Cluster in_ring = cluster;  // what does not sum goes around
  in_ring.all_reduce = AllReduce::ring;
  Cluster pair = in_ring;
  pair.nodes = cluster.nodes > 1 ? 2 : 1;
  pair.ranks_per_node = cluster.nodes > 1 ? 1 : 2;
  for (const GroupOperation& one : group.operations) {
    if (one.calls <= 0) continue;
    const double bytes = one.bytes / one.calls;
    const double s =
        one.calls * all_reduce_ratio(one.op, ranks) * call_s(one.op == "allreduce" ? cluster : in_ring, bytes);
    if (one.op == "allgather") {
      times.gather_s += s, times.gathers += one.calls;
    } else if (one.op == "reduce_scatter") {
      times.scatter_s += s, times.scatters += one.calls;
    } else if (one.op == "allreduce") {
      times.sum_s += s, times.sums += one.calls;
    } else if (one.op == "send" || one.op == "recv") {
      // Both ends log it; a hop of a ring of two is half of what sums in it.
      times.pass_s += 0.5 * one.calls * call_s(pair, bytes);
      times.sends += one.op == "send" ? one.calls : 0;
    } else {
      times.other_s += s;
    }
  }
  return times;
}

// Units are gathered one ahead: the first of a pass is waited for, the others hide behind the unit before them.
double behind_s(double calls_s, double calls, double compute_s) {
  if (calls <= 0) return 0;
  const double first_s = calls_s / calls;
  return first_s + std::max(0.0, calls_s - first_s - compute_s * (calls - 1) / calls);
}

double sharded_s(const OpTimes& times, const PassTimes& passes) {
  const bool in_both = times.gathers > 1.5 * times.scatters && times.scatters > 0;  // or they stay after the first
  const double forward = in_both ? 0.5 : 1;
  const double forward_s = behind_s(times.gather_s * forward, times.gathers * forward, passes.forward_s);
  // Backward, gathers go ahead and gradients follow; the last gradients are waited for.
  const double back_s = times.gather_s * (1 - forward) + times.scatter_s + times.sum_s;
  const double last_s = times.scatters > 0 ? times.scatter_s / times.scatters : 0;
  const double first_s = in_both ? times.gather_s / times.gathers : 0;
  const double backward_s =
      std::min(back_s, first_s + last_s + std::max(0.0, back_s - first_s - last_s - passes.backward_s));
  return forward_s + backward_s + times.other_s + times.pass_s;
}

// Stages wait until the first piece has reached them and the last one has left: (stages - 1) pieces of the computing.
double bubble_s(int stages, const OpTimes& times, const PassTimes& passes) {
  const double pieces = std::max({1.0, static_cast<double>(passes.passes), times.sends});
  return (stages - 1) / pieces * passes.passes * (passes.forward_s + passes.backward_s);
}

}  // namespace

int ranks_on_node(const StepGroup& group, const Cluster& cluster) {
  return std::clamp(cluster.ranks_per_node / std::max(1, group.apart), 1, std::max(1, group.ranks));
}

double exposed_s(const StepGroup& group, const Cluster& cluster, bool nodes_apart, const PassTimes& passes) {
  const Cluster own = cluster_of(group, cluster, nodes_apart);
  const OpTimes times = times_of(group, own);
  const int ranks = own.nodes * own.ranks_per_node;
  if (ranks < 2) return 0;
  PassTimes all = passes;
  all.forward_s *= passes.passes;
  all.backward_s *= passes.passes;
  switch (group.use) {
    case GroupUse::sharded:
      return sharded_s(times, all);
    case GroupUse::summed: {
      const double last_s = times.sums > 0 ? times.sum_s / times.sums : 0;
      return times.all_s() - times.sum_s + last_s + std::max(0.0, times.sum_s - last_s - passes.backward_s);
    }
    case GroupUse::passed_on:
      return times.all_s() + bubble_s(ranks, times, passes);
    case GroupUse::blocking:
      return times.all_s();
  }
  return 0;
}

}  // namespace stash
