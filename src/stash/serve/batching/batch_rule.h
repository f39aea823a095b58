#pragma once

#include <cstdint>
#include <optional>

#include "stash/serve/model/batch_times.h"

namespace stash {

// When the requests that wait for a model become a batch. Times in seconds, rows are samples.
struct BatchRule {
  std::optional<double> objective_s{};  // latency to meet; nullopt: nothing is refused for being late
  int most_rows = 1;                    // of a batch
  // Instead of by the rate of arrivals: when a batch is full, or its first request has waited this long.
  std::optional<double> timeout_s{};
};

// What waits for a model, oldest first.
struct Waiting {
  int rows = 0;
  std::int64_t oldest_ns = 0;  // arrival of the first
};

// The largest batch that a rule should have: one request may have to wait for a batch before its own, so both must fit
// into the objective; where that is too little for a batch of two, the objective alone bounds it. UsageError where not
// even a batch of one is in time.
int rows_within(const BatchTimes& times, std::optional<double> objective_s, int most_rows);

// How many more rows are worth waiting for at `rate_per_s` on a free device; 0: none. Waiting for k more delays the
// n that are here by k/rate; it spares those k the wait for a batch that would have gone without them, and a batch of
// their own: the sums of latencies are compared.
int rows_worth_waiting_for(const BatchTimes& times, int waiting, int most_rows, double rate_per_s);

// When what waits is to be sent to a device that has been free since `free_ns`; not after now: at once.
// `overhead_s` is what a batch takes beside T(b).
std::int64_t dispatch_ns(const BatchRule& rule, const BatchTimes& times, const Waiting& waiting, double rate_per_s,
                         std::int64_t free_ns, double overhead_s);

// When a request of `rows` that comes at `now_ns` would be done. The device is free from `free_ns` on; `ahead` rows
// wait before it.
std::int64_t done_ns(const BatchRule& rule, const BatchTimes& times, int rows, int ahead, double rate_per_s,
                     std::int64_t now_ns, std::int64_t free_ns, double overhead_s);

}  // namespace stash
