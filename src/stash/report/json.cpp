#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/attribute/coverage.h"
#include "stash/core/profile_json.h"
#include "stash/core/version.h"
#include "stash/report/report.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;  // parts in the chain's order

inline constexpr int kReportSchemaVersion = 1;

Json number(std::optional<double> value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

Json estimate_json(const Estimate& estimate) {
  return {{"s", number(estimate.s)}, {"low_s", number(estimate.low_s)}, {"high_s", number(estimate.high_s)}};
}

Json part_json(const Estimate& estimate, const Ledger& ledger, const ReportOptions& options) {
  Json json = estimate_json(estimate);
  const auto ratio = ledger.step.s > 0 ? std::optional(estimate.s / ledger.step.s) : std::nullopt;
  json["ratio"] = number(ratio);
  json["differs_from_zero"] = differs_from_zero(estimate);
  if (options.usd_per_hour) json["usd_per_h"] = ratio ? number(*ratio * *options.usd_per_hour) : Json(nullptr);
  return json;
}

Json parts_json(const Ledger& ledger, const ReportOptions& options) {
  Json json = Json::object();
  for (const Part part : kParts) {
    json[std::string(to_string(part))] = ledger[part] ? part_json(*ledger[part], ledger, options) : Json(nullptr);
  }
  return json;
}

Json published_json(const Published& published) {
  return {{"interconnect_ratio", number(published.interconnect_ratio)},
          {"network_ratio", number(published.network_ratio)},
          {"prep_ratio", number(published.prep_ratio)},
          {"fetch_ratio", number(published.fetch_ratio)}};
}

Json steady_fetch_json(const std::optional<SteadyFetch>& steady) {
  if (!steady) return nullptr;
  Json json = estimate_json(steady->fetch);
  json["cached_ratio"] = number(steady->cached_ratio);
  return json;
}

Json late_rank_json(const Profile& profile, const std::optional<LateRank>& late) {
  if (!late) return nullptr;
  return {{"rank", late->rank},
          {"host", host_of(profile, late->rank)},
          {"cause", to_string(late->cause)},
          {"condition", to_string(late->condition)},
          {"s", number(late->s)}};
}

Json step_by_condition_json(const Ledger& ledger) {
  Json json = Json::object();
  for (const auto& [condition, time] : ledger.step_by_condition) {
    json[std::string(to_string(condition))] = estimate_json(time);
  }
  return json;
}

Json coverage_json(const Profile& profile, const Ledger& ledger) {
  Json absent = Json::object();
  for (const Part part : kParts) {
    if (!ledger[part]) absent[std::string(to_string(part))] = why_absent(part, profile);
  }
  return {{"explained_ratio", number(explained_ratio(ledger))}, {"absent", absent}};
}

Json ledger_json(const Profile& profile, const Ledger& ledger, const ReportOptions& options) {
  return {{"step", estimate_json(ledger.step)},
          {"parts", parts_json(ledger, options)},
          {"steady_fetch", steady_fetch_json(ledger.steady_fetch)},
          {"published", published_json(ledger.published)},
          {"late_rank", late_rank_json(profile, ledger.late_rank)},
          {"step_by_condition", step_by_condition_json(ledger)},
          {"rounds", ledger.rounds},
          {"rounds_left_out", ledger.rounds_left_out},
          {"coverage", coverage_json(profile, ledger)}};
}

}  // namespace

std::string render_json(const Profile& profile, const Ledger& ledger, const ReportOptions& options) {
  std::vector<std::string> warnings = ledger_warnings(profile, ledger);
  warnings.insert(warnings.end(), profile.warnings.begin(), profile.warnings.end());
  const std::string emulated = emulated_name(profile.job);
  Json json{{"schema_version", kReportSchemaVersion},
            {"tool", {{"name", "stash"}, {"version", kVersion}}},
            {"verdict", verdict(profile, ledger)},
            {"emulated", emulated.empty() ? Json(nullptr) : Json(emulated)},
            {"ledger", ledger_json(profile, ledger, options)},
            {"usd_per_hour", number(options.usd_per_hour)},
            {"stopped_by", to_string(profile.stopped_by)},
            {"complete", profile.complete},
            {"elapsed_s", number(profile.elapsed_s)},
            {"warnings", warnings},
            {"job", to_json(profile.job)},
            {"machine", to_json(profile.machine)}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
