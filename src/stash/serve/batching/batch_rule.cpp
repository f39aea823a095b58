#include "stash/serve/batching/batch_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {

int rows_within(const BatchTimes& times, std::optional<double> objective_s, int most_rows) {
  if (!objective_s) return most_rows;
  if (const int rows = times.largest_within(*objective_s / 2, most_rows); rows > 1) return rows;
  const int rows = times.largest_within(*objective_s, most_rows);
  if (rows > 0) return rows;
  throw UsageError(fmt::format("--objective {} cannot be met: a batch of one takes {}", format_duration(*objective_s),
                               duration_at_least(times.at(1))));
}

int rows_worth_waiting_for(const BatchTimes& times, int waiting, int most_rows, double rate_per_s) {
  const int room = most_rows - waiting;
  const double alone_s = times.at(waiting);
  // Who comes after the batch would have ended does not wait for it.
  const int most = std::min(room, static_cast<int>(std::min(alone_s * rate_per_s, 1e6)));
  int best = 0;
  double best_s = 0;
  for (int k = 1; k <= most; ++k) {
    const double joined_s = times.at(waiting + k);
    const double cost_s = (waiting + k) * (joined_s - alone_s + k / rate_per_s) - k * times.at(k);
    if (cost_s >= best_s) continue;
    best = k;
    best_s = cost_s;
  }
  return best;
}

std::int64_t dispatch_ns(const BatchRule& rule, const BatchTimes& times, const Waiting& waiting, double rate_per_s,
                         std::int64_t free_ns, double overhead_s) {
  const std::int64_t since_ns = std::max(free_ns, waiting.oldest_ns);
  if (waiting.rows >= rule.most_rows) return since_ns;
  std::int64_t until_ns = 0;
  if (rule.timeout_s) {
    until_ns = waiting.oldest_ns + nanoseconds(*rule.timeout_s);
  } else {
    const int more = rows_worth_waiting_for(times, waiting.rows, rule.most_rows, rate_per_s);
    if (more == 0) return since_ns;
    until_ns = since_ns + nanoseconds(more / rate_per_s);
  }
  if (rule.objective_s) {
    const double left_s = *rule.objective_s - times.at(waiting.rows) - overhead_s;
    until_ns = std::min(until_ns, waiting.oldest_ns + nanoseconds(std::max(0.0, left_s)));
  }
  return std::max(since_ns, until_ns);
}

std::int64_t done_ns(const BatchRule& rule, const BatchTimes& times, int rows, int ahead, double rate_per_s,
                     std::int64_t now_ns, std::int64_t free_ns, double overhead_s) {
  const double full_s = times.at(rule.most_rows) + overhead_s;
  const int before = ahead / rule.most_rows;
  const std::int64_t start_ns = std::max(now_ns, free_ns) + nanoseconds(before * full_s);
  // Those who come until then join the batch, whose time grows.
  const double joiners = std::min(rate_per_s * seconds(start_ns - now_ns), 1e6);
  const int own = std::min(rule.most_rows, ahead % rule.most_rows + rows + static_cast<int>(joiners));
  return start_ns + nanoseconds(times.at(own) + overhead_s);
}

}  // namespace stash
