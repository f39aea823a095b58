#include "stash/serve/load/load_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/statistics.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::size_t kBlocks = 20;
// A block must hold this many requests beyond the quantile, or its own quantile says little.
constexpr double kLeastBeyond = 2;
// The client may add this share to the 99th percentile.
constexpr double kMostLateRatio = 0.1;

// Half the 95 % interval of the mean of `values`, in the order of the plan, from the means of blocks; nullopt: too few.
std::optional<double> half_width_of_mean(std::span<const double> values, double least_block) {
  const std::size_t block = values.size() / kBlocks;
  if (static_cast<double>(block) < least_block) return std::nullopt;
  std::vector<double> means;
  for (std::size_t i = 0; i < kBlocks; ++i) means.push_back(mean(values.subspan(i * block, block)));
  return student_t_quantile_975(kBlocks - 1) * std::sqrt(sample_variance(means) / static_cast<double>(kBlocks));
}

LatencyEstimate mean_estimate(std::span<const double> latencies) {
  LatencyEstimate found{.s = mean(latencies)};
  const std::optional<double> half = half_width_of_mean(latencies, 2);
  if (!half) return found;
  found.low_s = std::max(0.0, found.s - *half);
  found.high_s = found.s + *half;
  return found;
}

// The share of latencies beyond the quantile is known to some factor, since few may be; the interval is the quantiles
// of both its ends.
LatencyEstimate quantile_estimate(std::span<const double> latencies, std::span<const double> sorted, double p) {
  LatencyEstimate found{.s = load_quantile(sorted, p)};
  std::vector<double> beyond(latencies.size());
  std::ranges::transform(latencies, beyond.begin(), [&](double one) { return one > found.s ? 1.0 : 0.0; });
  const std::optional<double> half = half_width_of_mean(beyond, kLeastBeyond / (1 - p));
  if (!half) return found;
  const double factor = std::exp(*half / (1 - p));
  found.low_s = load_quantile(sorted, std::max(0.0, 1 - (1 - p) * factor));
  found.high_s = load_quantile(sorted, 1 - (1 - p) / factor);
  return found;
}

}  // namespace

double load_quantile(std::span<const double> sorted, double p) {
  const auto at = static_cast<std::size_t>(static_cast<double>(sorted.size()) * p);
  return sorted[std::min(at, sorted.size() - 1)];
}

LoadSummary summarize_load(std::span<const SentRequest> requests, std::optional<double> objective_s) {
  LoadSummary summary;
  summary.planned = requests.size();
  std::vector<double> latencies, late;
  std::size_t within = 0;
  std::int64_t end_ns = 0;
  for (const SentRequest& one : requests) {
    end_ns = std::max({end_ns, one.planned_ns, one.done_ns});
    if (one.sent_ns >= 0) late.push_back(static_cast<double>(one.sent_ns - one.planned_ns) * 1e-9);
    if (is_answered(one)) {
      latencies.push_back(static_cast<double>(one.done_ns - one.planned_ns) * 1e-9);
      if (objective_s && latencies.back() <= *objective_s) ++within;
    }
    if (is_refused(one)) ++summary.refused;
  }
  summary.answered = latencies.size();
  summary.failed = summary.planned - summary.answered - summary.refused;
  summary.duration_s = static_cast<double>(end_ns) * 1e-9;
  if (summary.duration_s > 0) summary.throughput_per_s = static_cast<double>(summary.answered) / summary.duration_s;
  if (objective_s && !requests.empty()) {
    summary.within_objective_ratio = static_cast<double>(within) / static_cast<double>(requests.size());
  }
  if (!late.empty()) {
    std::ranges::sort(late);
    summary.client_late_s = load_quantile(late, 0.99);
  }
  if (latencies.empty()) return summary;
  std::vector<double> sorted = latencies;
  std::ranges::sort(sorted);
  summary.mean = mean_estimate(latencies);
  summary.p50 = quantile_estimate(latencies, sorted, 0.5);
  summary.p90 = quantile_estimate(latencies, sorted, 0.9);
  summary.p99 = quantile_estimate(latencies, sorted, 0.99);
  return summary;
}

std::string why_rejected(const LoadSummary& summary) {
  if (!summary.p99 || summary.client_late_s <= kMostLateRatio * summary.p99->s) return {};
  return fmt::format(
      "one request in a hundred left this client {} or more after its time, which is more than a tenth of the 99th "
      "percentile ({}): send from a machine with idle cores, over more connections (--connections), or less per second",
      format_duration(summary.client_late_s), format_duration(summary.p99->s));
}

}  // namespace stash
