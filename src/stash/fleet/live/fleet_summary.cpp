#include "stash/fleet/live/fleet_summary.h"

namespace stash {

double FleetSummary::usd() const {
  double sum = 0;
  for (const BillRow& row : bill) sum += row.usd;
  return sum;
}

std::optional<double> FleetSummary::missed_ratio() const {
  if (!(counts.all() > 0)) return std::nullopt;
  return counts.missed() / counts.all();
}

FleetSummary summarize(FleetController& controller, const Market& market, const FleetPolicy& policy,
                       const FleetObjective& objective, double speed) {
  FleetSummary summary{.model = market.model,
                       .policy = std::string(policy.name()),
                       .provider = {},
                       .address = {},
                       .objective = objective,
                       .speed = speed,
                       .duration_s = controller.now_s(),
                       .counts = controller.book().totals(),
                       .bill = controller.bill().rows(controller.now_s()),
                       .changes = controller.changes(),
                       .trouble = controller.trouble(),
                       .ready = controller.ready(),
                       .starting = controller.starting()};
  for (const LoadMinute& minute : controller.book().minutes(summary.duration_s)) {
    summary.unknown_s += minute.hole ? 60 : 0;
  }
  const LatencyCounts& latencies = controller.book().latencies();
  summary.mean_s = latencies.mean_s();
  summary.p50_s = latencies.percentile(0.5);
  summary.p90_s = latencies.percentile(0.9);
  summary.p99_s = latencies.percentile(0.99);
  return summary;
}

}  // namespace stash
