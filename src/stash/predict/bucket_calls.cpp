#include "stash/predict/bucket_calls.h"

#include <algorithm>
#include <vector>

namespace stash {
namespace {

// Collectives on their way, each with the time that it would still take alone.
class CallsUnderWay {
 public:
  explicit CallsUnderWay(const InFlight& in_flight)
      : most_(static_cast<std::size_t>(in_flight.most)), paired_ratio_(in_flight.paired_ratio) {}

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

struct Sent {
  double end_s = 0;
  double busy_s = 0;
};

Sent send_one_by_one(std::span<const BucketCall> calls) {
  Sent sent;
  for (const BucketCall& call : calls) {
    sent.end_s = std::max(sent.end_s, call.ready_s) + call.alone_s;
    sent.busy_s += call.alone_s;
  }
  return sent;
}

Sent send_together(std::span<const BucketCall> calls, const InFlight& in_flight) {
  CallsUnderWay under_way(in_flight);
  Sent sent;
  double& now_s = sent.end_s;
  auto next = calls.begin();
  while (next != calls.end() || !under_way.empty()) {
    const bool may_start = next != calls.end() && under_way.has_room();
    if (may_start && next->ready_s <= now_s) {
      under_way.add(next->alone_s);
      ++next;
    } else if (under_way.empty()) {
      now_s = next->ready_s;
    } else {
      const double till_end_s = under_way.next_end_s();
      const bool ends = !may_start || till_end_s <= next->ready_s - now_s;
      const double passes_s = ends ? till_end_s : next->ready_s - now_s;
      under_way.pass(passes_s);
      if (ends) under_way.end_first();
      sent.busy_s += passes_s;
      now_s = ends ? now_s + passes_s : next->ready_s;
    }
  }
  return sent;
}

}  // namespace

Passed pass_calls(std::span<const BucketCall> calls, double backward_s, const InFlight& in_flight) {
  const Sent sent = in_flight.most == 1 ? send_one_by_one(calls) : send_together(calls, in_flight);
  const double exposed_s = std::max(0.0, sent.end_s - backward_s);
  return {exposed_s, std::max(0.0, sent.busy_s - exposed_s)};
}

}  // namespace stash
