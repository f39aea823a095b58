#include "stash/fleet/traffic/arrival_stream.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace stash {
namespace {

constexpr std::uint32_t kMostAtOnce = 4096;

// SplitMix64: one multiplication chain per number, and a seed of any kind will do.
class QuickRandom {
 public:
  using result_type = std::uint64_t;
  explicit QuickRandom(std::uint64_t seed) : state_(seed) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  // Above 0, up to 1.
  double unit() { return static_cast<double>(((*this)() >> 11U) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return QuickRandom(a ^ (b * 0xD6E8FEB86659FD93U))(); }

}  // namespace

ArrivalStream::ArrivalStream(const LoadTrace& trace, std::uint64_t seed, TraceSpan span)
    : trace_(&trace), seed_(seed), span_(span) {
  slot_ = static_cast<std::size_t>(std::max(0.0, std::floor(span.from_s / trace.slot_s)));
  timed_ = static_cast<std::size_t>(std::ranges::lower_bound(trace.timed, span.from_s, {}, &TimedRequest::at_s) -
                                    trace.timed.begin());
}

std::span<const double> ArrivalStream::next() {
  if (!trace_->timed.empty()) return next_timed();
  do {
    while (parts_.empty()) {
      if (!take_slot()) return {};
    }
    const Part part = parts_.back();
    parts_.pop_back();
    if (part.requests > kMostAtOnce) {
      split(part);
      times_.clear();
    } else {
      draw(part);
    }
  } while (times_.empty());
  return times_;
}

std::span<const double> ArrivalStream::next_timed() {
  times_.clear();
  timed_begin_ = timed_;
  const auto& timed = trace_->timed;
  for (; timed_ < timed.size() && times_.size() < kMostAtOnce && timed[timed_].at_s < span_.to_s; ++timed_) {
    times_.push_back(timed[timed_].at_s);
  }
  return times_;
}

bool ArrivalStream::take_slot() {
  const double from_s = static_cast<double>(slot_) * trace_->slot_s;
  if (slot_ >= trace_->requests.size() || from_s >= span_.to_s) return false;
  if (trace_->requests[slot_] > 0) {
    parts_.push_back({from_s, trace_->slot_s, trace_->requests[slot_], mixed(seed_, slot_)});
  }
  ++slot_;
  return true;
}

// How many of them fall into the first half.
void ArrivalStream::split(const Part& part) {
  QuickRandom random(part.key);
  const std::uint32_t first = std::binomial_distribution<std::uint32_t>(part.requests, 0.5)(random);
  const double half_s = part.length_s / 2;
  parts_.push_back({part.from_s + half_s, half_s, part.requests - first, mixed(part.key, 2)});
  parts_.push_back({part.from_s, half_s, first, mixed(part.key, 1)});
}

// Sums of exponential gaps, over their total, are even draws in order.
void ArrivalStream::draw(const Part& part) {
  times_.resize(part.requests);
  QuickRandom random(part.key);
  double sum = 0;
  for (double& time : times_) {
    sum -= std::log(random.unit());
    time = sum;
  }
  sum -= std::log(random.unit());
  const double scale = part.length_s / sum;
  for (double& time : times_) time = part.from_s + time * scale;
  if (part.from_s >= span_.from_s && part.from_s + part.length_s <= span_.to_s) return;
  std::erase_if(times_, [&](double s) { return s < span_.from_s || s >= span_.to_s; });
}

}  // namespace stash
