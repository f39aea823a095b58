#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stash {

// What became of one request; nanoseconds after the start of the plan.
struct SentRequest {
  std::int64_t planned_ns = 0;
  std::int64_t sent_ns = -1;  // -1: never
  std::int64_t done_ns = -1;  // -1: no answer
  int status = 0;             // of HTTP; 0: no answer
  // Which one it was: on which connection, by its port here, and the how-manieth there, from 0 on.
  std::uint16_t port = 0;
  std::uint32_t number = 0;
};

inline bool is_answered(const SentRequest& request) { return request.status >= 200 && request.status < 300; }
// The server said that it has no room: 429 or 503.
inline bool is_refused(const SentRequest& request) { return request.status == 429 || request.status == 503; }

// A figure with its 95 % interval; nullopt: too few requests to say.
struct LatencyEstimate {
  double s = 0;
  std::optional<double> low_s{};
  std::optional<double> high_s{};
};

struct LoadSummary {
  std::size_t planned = 0;
  std::size_t answered = 0;
  std::size_t refused = 0;
  std::size_t failed = 0;                              // another status, a broken connection, no answer in time
  double duration_s = 0;                               // of the plan, or to the last answer where that came later
  double throughput_per_s = 0;                         // answered
  std::optional<LatencyEstimate> mean, p50, p90, p99;  // of the answered; from the planned time to the last byte
  double client_late_s = 0;                            // 99th percentile of how long after its time a request was sent
  std::optional<double> within_objective_ratio;        // of all planned requests
};

}  // namespace stash
