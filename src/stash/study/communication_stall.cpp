#include "stash/study/communication_stall.h"

#include <algorithm>

namespace stash {
namespace {

struct Passed {
  double exposed_s = 0;
  double hidden_s = 0;
};

// Collectives on their way, each with the time that it would still take alone.
class InFlight {
 public:
  InFlight(int most, double paired_ratio) : most_(static_cast<std::size_t>(most)), paired_ratio_(paired_ratio) {}

  bool empty() const { return left_s_.empty(); }
  bool has_room() const { return left_s_.size() < most_; }
  void add(double alone_s) { left_s_.push_back(alone_s); }
  double next_end_s() const { return *std::ranges::min_element(left_s_) / rate(); }

  void pass(double s) {
    const double done_s = s * rate();
    for (double& left_s : left_s_) left_s -= done_s;
  }
  void end_first() { left_s_.erase(std::ranges::min_element(left_s_)); }

 private:
  double rate() const { return left_s_.size() == 1 ? 1 : paired_ratio_ / static_cast<double>(left_s_.size()); }

  std::size_t most_;
  double paired_ratio_;
  std::vector<double> left_s_;
};

Passed pass_buckets(const Observation& observation, const Communication& communication) {
  InFlight in_flight(observation.in_flight, communication.paired_ratio);
  double now_s = 0, busy_s = 0;
  auto next = observation.buckets.begin();
  const auto end = observation.buckets.end();
  while (next != end || !in_flight.empty()) {
    const bool may_start = next != end && in_flight.has_room();
    if (may_start && next->ready_s <= now_s) {
      in_flight.add(communication.latency_s + next->bytes * communication.s_per_byte);
      ++next;
    } else if (in_flight.empty()) {
      now_s = next->ready_s;
    } else {
      const double till_end_s = in_flight.next_end_s();
      const bool ends = !may_start || till_end_s <= next->ready_s - now_s;
      const double passes_s = ends ? till_end_s : next->ready_s - now_s;
      in_flight.pass(passes_s);
      if (ends) in_flight.end_first();
      busy_s += passes_s;
      now_s = ends ? now_s + passes_s : next->ready_s;
    }
  }
  const double exposed_s = std::max(0.0, now_s - observation.backward_s);
  return {exposed_s, std::max(0.0, busy_s - exposed_s)};
}

}  // namespace

double stall_s(const Observation& observation, const Communication& communication) {
  const Passed passed = pass_buckets(observation, communication);
  return passed.exposed_s + communication.slowdown_ratio * passed.hidden_s;
}

}  // namespace stash
