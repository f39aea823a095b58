#pragma once

#include <array>
#include <cmath>

#include "stash/predict/cluster.h"

namespace stash {

// Bytes in pieces through a chain of hops: the best size of a piece costs a share of the geometric mean of both terms.
struct PhaseTime {
  double latency_s = 0;
  double s_per_byte = 0;
  double ramp_ratio = 0;
  double s(double bytes) const {
    const double bytes_s = bytes * s_per_byte;
    return latency_s + bytes_s + (ramp_ratio > 0 ? ramp_ratio * std::sqrt(latency_s * bytes_s) : 0);
  }
};

// One way to sum gradients. `inside` runs on each node by itself, before all meet and again after it.
struct AllReducePlan {
  PhaseTime inside;
  PhaseTime across;
  double s(double bytes) const { return 2 * inside.s(bytes) + across.s(bytes); }
};

// The ways that a group of ranks may choose from, by size. Without any, nothing is sent.
class AllReduceChoice {
 public:
  static AllReduceChoice among_node(const Cluster& cluster);  // the ranks of each node
  static AllReduceChoice among_all(const Cluster& cluster);

  bool empty() const { return count_ == 0; }
  const AllReducePlan& for_bytes(double bytes) const;  // the quickest

 private:
  void add(const AllReducePlan& plan) { plans_[count_++] = plan; }

  std::array<AllReducePlan, 3> plans_;
  std::size_t count_ = 0;
};

// What a host-to-device copy of every rank gets when all copy at once.
double shared_copy_bytes_per_s(const Cluster& cluster);

}  // namespace stash
