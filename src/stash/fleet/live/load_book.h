#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// What became of a request: in time; answered too late; refused for want of room (503, 429); failed in another way.
enum class RequestEnd { served, late, refused, failed };

// Requests by what became of them.
struct LoadCounts {
  double served = 0;
  double late = 0;
  double refused = 0;
  double failed = 0;

  double all() const { return served + late + refused + failed; }
  double missed() const { return late + refused + failed; }
  bool operator==(const LoadCounts&) const = default;
};

// How many answers took how long, in steps of 5 %.
class LatencyCounts {
 public:
  void add(double s);
  std::optional<double> percentile(double ratio) const;  // nullopt: nothing was counted
  std::optional<double> mean_s() const;

  std::vector<std::uint64_t> counts{};  // by step, from 1 ms on
  double sum_s = 0;
  std::uint64_t number = 0;
};

// The load of a live fleet, minute by minute, on the fleet's clock: seconds since it began. With a clock that runs
// `speed` times faster than time, a minute has fewer requests; the rate of a minute is what counts, so requests of a
// minute are multiplied by it.
class LoadBook {
 public:
  explicit LoadBook(double speed = 1) : speed_(speed) {}

  void add_request(double at_s, double latency_s, RequestEnd end);
  // Requests that came evenly from `from_s` to `to_s`. Error where they are negative or no numbers.
  void add(double from_s, double to_s, const LoadCounts& counts);
  // It is not known what came then.
  void note_unknown(double from_s, double to_s);

  // All that are over at `now_s`, oldest first.
  std::span<const LoadMinute> minutes(double now_s);
  // Of the last `span_s`, in requests per second of time.
  double rate_per_s(double now_s, double span_s) const;

  const LoadCounts& totals() const { return totals_; }
  const LatencyCounts& latencies() const { return latencies_; }
  void resume(std::vector<LoadMinute> minutes, const LoadCounts& totals, LatencyCounts latencies);

 private:
  struct Detail {
    std::array<double, 12> windows{};  // of five seconds
    double peak = 0;                   // the largest of them
    double unknown_s = 0;
  };
  std::size_t minute_at(double s);
  void count(double at_s, double requests, double missed);

  double speed_;
  std::vector<LoadMinute> minutes_;
  std::vector<Detail> details_;  // as many
  LoadCounts totals_;
  LatencyCounts latencies_;
};

}  // namespace stash
