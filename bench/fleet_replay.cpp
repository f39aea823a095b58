// How long the replay of a trace takes on one core, and how much memory: every request, one policy.
//   build/release/bench/fleet_replay TRACE.csv [POLICY]
// docs/fleet.md has its figures.

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <ctime>
#include <exception>
#include <string>

#include "stash/core/clock.h"
#include "stash/fleet/market/published_market.h"
#include "stash/fleet/policy/make_fleet_policy.h"
#include "stash/fleet/replay/replay_fleet.h"
#include "stash/fleet/traffic/read_load_trace.h"

namespace stash {
namespace {

double most_memory_mb() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1e3;
}

void measure(const char* file, const char* policy_name) {
  const LoadTrace trace = read_load_trace(std::filesystem::path(file));
  const double read_mb = most_memory_mb();
  const Market market = published_market("mark-inception");
  const FleetObjective objective{.latency_s = 0.5, .meet_ratio = 0.98};
  const std::int64_t begin_ns = now_ns();
  const auto policy = make_fleet_policy(policy_name, market, {.objective = objective, .future = &trace});
  const std::int64_t made_ns = now_ns();
  const double cpu_before_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  const ReplayResult result =
      replay_fleet(market, trace, *policy, {.objective = objective, .span = {0, trace.duration_s()}});
  const double took_s = seconds(now_ns() - made_ns);
  const double cpu_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC - cpu_before_s;
  const auto requests = static_cast<double>(result.totals.requests);
  fmt::print(
      "{}: {:.0f} requests of {:.1f} days in {:.2f} s, {:.2f} s of one core, {:.3f} us per request; policy made in "
      "{:.2f} s\n"
      "memory {:.0f} MB, {:.0f} of them after the trace was read; {:.2f} USD, {:.3f} % missed, {} starts\n",
      policy_name, requests, trace.duration_s() / 86400, took_s, cpu_s, 1e6 * cpu_s / requests,
      seconds(made_ns - begin_ns), most_memory_mb(), read_mb, result.totals.usd, 100 * result.totals.missed_ratio(),
      result.totals.starts);
}

}  // namespace
}  // namespace stash

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: fleet_replay TRACE.csv [POLICY]\n", stderr);
    return 2;
  }
  try {
    stash::measure(argv[1], argc > 2 ? argv[2] : "mark");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
