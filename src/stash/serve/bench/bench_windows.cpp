#include "stash/serve/bench/bench_windows.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "stash/core/clock.h"
#include "stash/core/statistics.h"
#include "stash/serve/load/load_summary.h"

namespace stash {
namespace {

// The beginning of a window belongs to what came before: its queue has other batches.
constexpr double kSettle_ratio = 0.2;
constexpr std::size_t kLeastWindows = 3;  // for an interval

// What became of the requests that were planned in a window.
struct WindowSums {
  std::size_t planned = 0, refused = 0, failed = 0, within = 0;
  std::vector<double> latencies_s;
  std::vector<PartTimes> parts;
  std::vector<double> batch_rows;
};

struct MeanInterval {
  double s = 0;
  std::optional<double> low_s{}, high_s{};
};

MeanInterval mean_interval(std::span<const double> values) {
  MeanInterval found{.s = mean(values)};
  if (values.size() < kLeastWindows) return found;
  const double half = student_t_quantile_975(static_cast<int>(values.size()) - 1) *
                      std::sqrt(sample_variance(values) / static_cast<double>(values.size()));
  found.low_s = found.s - half;
  found.high_s = found.s + half;
  return found;
}

std::uint64_t request_key(std::uint16_t port, std::uint32_t number) {
  return (static_cast<std::uint64_t>(port) << 32) | number;
}

class BenchSummary {
 public:
  BenchSummary(const BenchPlan& plan, const LoadRun& run, std::span<const ServedRequest> served)
      : plan_(plan), run_(run), windows_(plan.windows.size()) {
    for (const ServedRequest& one : served) served_[request_key(one.peer_port, one.number)] = &one.times;
  }

  ServeBench make(std::optional<double> objective_s) {
    for (const SentRequest& one : run_.requests) take(one, objective_s);
    const LoadSummary summary = summarize_load(of_ledger_, objective_s);
    ServeBench bench{.objective_s = objective_s, .window_s = plan_.window_s, .rounds = plan_.rounds()};
    bench.client_late_s = summary.client_late_s;
    bench.why_rejected = why_rejected(summary);
    fill_latency(bench);
    fill_parts(bench);
    for (const BenchContrast& contrast : plan_.contrasts) bench.primitives.push_back(saving_of(contrast));
    return bench;
  }

 private:
  void take(const SentRequest& one, std::optional<double> objective_s) {
    const double at = seconds(one.planned_ns) / plan_.window_s;
    const auto place = static_cast<std::size_t>(at);
    if (place >= windows_.size() || at - std::floor(at) < kSettle_ratio) return;
    WindowSums& window = windows_[place];
    const BenchCondition& condition = plan_.conditions[plan_.windows[place]];
    if (plan_.windows[place] == 0) of_ledger_.push_back(one);
    ++window.planned;
    if (is_refused(one)) ++window.refused;
    if (!is_answered(one)) {
      window.failed += is_refused(one) ? 0 : 1;
      return;
    }
    const auto found = served_.find(request_key(one.port, one.number));
    if (found == served_.end()) return;
    RequestTimes times = *found->second;
    // What an earlier window left over is of neither.
    if (times.was_gathered != (condition.settings.input != InputWay::direct)) return;
    if (times.reload_ns > 0 && !condition.reloads) return;
    times.begun_ns = run_.start_ns + one.planned_ns;
    times.answered_ns = run_.start_ns + one.done_ns;
    window.latencies_s.push_back(seconds(times.answered_ns - times.begun_ns));
    window.parts.push_back(parts_of(times));
    window.batch_rows.push_back(times.batch_rows);
    if (objective_s && window.latencies_s.back() <= *objective_s) ++window.within;
  }

  std::vector<const WindowSums*> windows_of(std::size_t condition) const {
    std::vector<const WindowSums*> found;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (plan_.windows[i] == condition) found.push_back(&windows_[i]);
    }
    return found;
  }

  void fill_latency(ServeBench& bench) const {
    std::vector<double> latencies, rows;
    std::size_t planned = 0, refused = 0, failed = 0, within = 0;
    const auto base = windows_of(0);
    for (const WindowSums* const window : base) {
      latencies.insert(latencies.end(), window->latencies_s.begin(), window->latencies_s.end());
      rows.insert(rows.end(), window->batch_rows.begin(), window->batch_rows.end());
      planned += window->planned;
      refused += window->refused;
      failed += window->failed;
      within += window->within;
    }
    bench.requests = latencies.size();
    bench.throughput_per_s = static_cast<double>(latencies.size()) /
                             (static_cast<double>(base.size()) * plan_.window_s * (1 - kSettle_ratio));
    if (planned > 0) {
      bench.refused_ratio = static_cast<double>(refused) / static_cast<double>(planned);
      bench.failed_ratio = static_cast<double>(failed) / static_cast<double>(planned);
      if (bench.objective_s) bench.within_objective_ratio = static_cast<double>(within) / static_cast<double>(planned);
    }
    if (latencies.empty()) return;
    bench.mean_s = mean(latencies);
    bench.mean_batch = mean(rows);
    std::ranges::sort(latencies);
    bench.p50_s = load_quantile(latencies, 0.5);
    bench.p90_s = load_quantile(latencies, 0.9);
    bench.p99_s = load_quantile(latencies, 0.99);
  }

  void fill_parts(ServeBench& bench) const {
    for (std::size_t part = 0; part < kRequestParts; ++part) {
      std::vector<double> all, by_window;
      bool applies = false;
      for (const WindowSums* const window : windows_of(0)) {
        std::vector<double> own;
        for (const PartTimes& one : window->parts) {
          applies = applies || one[part].has_value();
          own.push_back(seconds(one[part].value_or(0)));
        }
        if (own.empty()) continue;
        by_window.push_back(mean(own));
        all.insert(all.end(), own.begin(), own.end());
      }
      if (!applies) continue;
      const MeanInterval interval = mean_interval(by_window);
      BenchPart made{.s = mean(all)};
      if (interval.low_s) {
        made.low_s = std::max(0.0, made.s - (interval.s - *interval.low_s));
        made.high_s = made.s + (*interval.high_s - interval.s);
      }
      std::ranges::sort(all);
      made.p50_s = load_quantile(all, 0.5);
      made.p90_s = load_quantile(all, 0.9);
      made.p99_s = load_quantile(all, 0.99);
      bench.parts[part] = made;
    }
  }

  // Differences inside a round, so that what drifts cancels.
  BenchPrimitive saving_of(const BenchContrast& contrast) const {
    BenchPrimitive made{.name = contrast.name, .setting = contrast.setting, .against = contrast.against};
    const auto better = windows_of(contrast.better), plain = windows_of(contrast.plain);
    std::vector<double> differences;
    for (std::size_t i = 0; i < std::min(better.size(), plain.size()); ++i) {
      if (better[i]->latencies_s.empty() || plain[i]->latencies_s.empty()) continue;
      differences.push_back(mean(plain[i]->latencies_s) - mean(better[i]->latencies_s));
    }
    if (differences.empty()) return made;
    const MeanInterval interval = mean_interval(differences);
    made.saves_s = interval.s;
    made.low_s = interval.low_s;
    made.high_s = interval.high_s;
    return made;
  }

  const BenchPlan& plan_;
  const LoadRun& run_;
  std::unordered_map<std::uint64_t, const RequestTimes*> served_;
  std::vector<WindowSums> windows_;
  std::vector<SentRequest> of_ledger_;  // in windows of the first condition
};

}  // namespace

ServeBench summarize_bench(const BenchPlan& plan, const LoadRun& run, std::span<const ServedRequest> served) {
  return BenchSummary(plan, run, served).make(plan.conditions.front().settings.objective_s);
}

}  // namespace stash
