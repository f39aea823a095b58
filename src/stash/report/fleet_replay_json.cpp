#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/report/fleet_replay_report.h"
#include "stash/report/ledger_json.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFleetReplaySchema = 1;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json mean_json(const PolicyReplay& policy, const std::function<double(const ReplayResult&)>& value) {
  return policy.over_seeds(value).mean;
}

Json series_json(const ReplayResult& run) {
  Json series{{"step_s", run.step_s}};
  for (const char* const key : {"from_s", "recorded_s", "requests", "missed", "refused", "usd", "p99_s", "forecast_p05",
                                "forecast_p50", "forecast_p95"}) {
    series[key] = Json::array();
  }
  for (const ReplayPoint& point : run.points) {
    series["from_s"].push_back(point.from_s);
    series["recorded_s"].push_back(point.recorded_s);
    series["requests"].push_back(point.requests);
    series["missed"].push_back(point.missed);
    series["refused"].push_back(point.refused);
    series["usd"].push_back(point.usd);
    series["p99_s"].push_back(or_null(point.p99_s));
    series["forecast_p05"].push_back(point.forecast ? Json(point.forecast->p05) : Json());
    series["forecast_p50"].push_back(point.forecast ? Json(point.forecast->p50) : Json());
    series["forecast_p95"].push_back(point.forecast ? Json(point.forecast->p95) : Json());
  }
  Json machines = Json::object();
  for (std::size_t i = 0; i < run.types.size(); ++i) {
    if (run.types[i].machine_hours <= 0) continue;
    Json counts = Json::array();
    for (const ReplayPoint& point : run.points) counts.push_back(point.machines[i]);
    machines[run.types[i].type] = counts;
  }
  series["machines"] = machines;
  return series;
}

Json decisions_json(const ReplayResult& run) {
  Json decisions = Json::array();
  for (const ReplayDecision& one : run.decisions) {
    decisions.push_back({{"at_s", one.at_s}, {"wanted", one.wanted}, {"reason", one.reason}});
  }
  return decisions;
}

Json by_type(const PolicyReplay& policy, double TypeUse::* value) {
  Json found = Json::object();
  for (std::size_t i = 0; i < policy.runs.front().types.size(); ++i) {
    const double mean = policy.over_seeds([&](const ReplayResult& run) { return run.types[i].*value; }).mean;
    if (mean > 0) found[policy.runs.front().types[i].type] = mean;
  }
  return found;
}

Json policy_json(const ReplayComparison& comparison, const PolicyReplay& policy) {
  const auto mean = [&](auto value) { return mean_json(policy, value); };
  const auto total = [&](auto value) {
    return mean_json(policy, [&](const ReplayResult& run) { return static_cast<double>(run.totals.*value); });
  };
  const SeedMean usd = policy.over_seeds([](const ReplayResult& run) { return run.totals.usd; });
  const SeedMean missed = policy.over_seeds([](const ReplayResult& run) { return run.totals.missed_ratio(); });
  const ReplayResult& first = policy.runs.front();
  return {{"name", policy.name},
          {"usd", usd.mean},
          {"requests", first.totals.requests},
          {"missed_ratio", missed.mean},
          {"refused_ratio", mean([](const ReplayResult& run) { return run.totals.refused_ratio(); })},
          {"p99_s", total(&ReplayTotals::p99_s)},
          {"machine_hours", by_type(policy, &TypeUse::machine_hours)},
          {"meets_objective", comparison.meets(policy)},
          {"usd_low", or_null(usd.low)},
          {"usd_high", or_null(usd.high)},
          {"missed_ratio_low", or_null(missed.low)},
          {"missed_ratio_high", or_null(missed.high)},
          {"mean_s", total(&ReplayTotals::mean_s)},
          {"p50_s", total(&ReplayTotals::p50_s)},
          {"p90_s", total(&ReplayTotals::p90_s)},
          {"machine_usd", by_type(policy, &TypeUse::usd)},
          {"spot_hours", by_type(policy, &TypeUse::spot_hours)},
          {"spot_usd", total(&ReplayTotals::spot_usd)},
          {"functions_usd", total(&ReplayTotals::functions_usd)},
          {"function_calls", total(&ReplayTotals::by_functions)},
          {"cold_function_calls", total(&ReplayTotals::cold_calls)},
          {"late", total(&ReplayTotals::late)},
          {"refused", total(&ReplayTotals::refused)},
          {"lost", total(&ReplayTotals::lost)},
          {"starts", total(&ReplayTotals::starts)},
          {"killed", total(&ReplayTotals::killed)},
          {"taken_away", total(&ReplayTotals::taken_away)},
          {"price_ratio", policy.price_ratio},
          {"seeds", policy.runs.size()},
          {"decisions_made", first.decisions_made},
          {"decisions", decisions_json(first)},
          {"series", series_json(first)}};
}

}  // namespace

std::string fleet_replay_json(const ReplayComparison& comparison) {
  Json policies = Json::array(), not_replayed = Json::array(), machines = Json::array();
  for (const PolicyReplay& one : comparison.policies) {
    if (one.runs.empty()) {
      not_replayed.push_back({{"name", one.name}, {"reason", one.why_not}});
    } else {
      policies.push_back(policy_json(comparison, one));
    }
  }
  for (std::size_t i = 0; i < comparison.types.size(); ++i) {
    machines.push_back({{"name", comparison.types[i]}, {"source", comparison.sources[i]}});
  }
  const Json json{{"schema_version", kFleetReplaySchema},
                  {"tool", tool_json()},
                  {"verdict", fleet_replay_verdict(comparison)},
                  {"model", comparison.model},
                  {"market", comparison.market},
                  {"machines", machines},
                  {"trace", comparison.trace},
                  {"objective_s", comparison.objective.latency_s},
                  {"meet_ratio", comparison.objective.meet_ratio},
                  {"from_s", comparison.span.from_s},
                  {"to_s", comparison.span.to_s},
                  {"recorded_s", comparison.recorded_s},
                  {"policies", policies},
                  {"not_replayed", not_replayed},
                  {"warnings", comparison.warnings}};
  return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string fleet_replay_csv(const ReplayComparison& comparison) {
  std::string text =
      "policy,seed,usd,requests,missed_ratio,refused_ratio,lost,mean_s,p50_s,p90_s,p99_s,machine_hours,spot_hours,"
      "functions_usd,starts\n";
  for (const PolicyReplay& policy : comparison.policies) {
    for (const ReplayResult& run : policy.runs) {
      double hours = 0, spot_hours = 0;
      for (const TypeUse& use : run.types) hours += use.machine_hours, spot_hours += use.spot_hours;
      const ReplayTotals& totals = run.totals;
      text += fmt::format("{},{},{:.6g},{},{:.6g},{:.6g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{}\n",
                          policy.name, run.seed, totals.usd, totals.requests, totals.missed_ratio(),
                          totals.refused_ratio(), totals.lost, totals.mean_s, totals.p50_s, totals.p90_s, totals.p99_s,
                          hours, spot_hours, totals.functions_usd, totals.starts);
    }
  }
  return text;
}

}  // namespace stash
