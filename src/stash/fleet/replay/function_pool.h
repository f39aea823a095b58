#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <random>
#include <vector>

#include "stash/fleet/market/market.h"

namespace stash {

// Instances of one function: a call takes a warm one that is free, else waits for a new one to start.
class FunctionPool {
 public:
  FunctionPool(const FunctionType& type, std::uint64_t seed) : type_(&type), random_(seed) {}

  double call(double now_s, double work);  // its latency
  std::uint64_t calls() const { return calls_; }
  std::uint64_t cold_calls() const { return cold_; }
  double usd() const { return usd_; }

 private:
  const FunctionType* type_;
  std::mt19937_64 random_;
  std::priority_queue<double, std::vector<double>, std::greater<>> busy_;  // when each is done
  std::deque<double> idle_;                                                // since when, the longest first
  std::uint64_t calls_ = 0, cold_ = 0;
  double usd_ = 0;
};

}  // namespace stash
