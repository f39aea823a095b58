#include "stash/report/ledger_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/attribute/coverage.h"
#include "stash/report/group_times.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;  // parts in the chain's order

Json part_json(const Estimate& estimate, const Ledger& ledger, std::optional<double> usd_per_hour) {
  Json json = estimate_json(estimate);
  const auto ratio = ledger.step.s > 0 ? std::optional(estimate.s / ledger.step.s) : std::nullopt;
  json["ratio"] = json_number(ratio);
  json["differs_from_zero"] = differs_from_zero(estimate);
  if (usd_per_hour) json["usd_per_hour"] = ratio ? json_number(*ratio * *usd_per_hour) : Json(nullptr);
  return json;
}

Json parts_json(const Ledger& ledger, std::optional<double> usd_per_hour) {
  Json json = Json::object();
  for (const Part part : kParts) {
    json[std::string(to_string(part))] = ledger[part] ? part_json(*ledger[part], ledger, usd_per_hour) : Json(nullptr);
  }
  return json;
}

Json published_json(const Published& published) {
  return {{"interconnect_ratio", json_number(published.interconnect_ratio)},
          {"network_ratio", json_number(published.network_ratio)},
          {"prep_ratio", json_number(published.prep_ratio)},
          {"fetch_ratio", json_number(published.fetch_ratio)}};
}

Json steady_fetch_json(const std::optional<SteadyFetch>& steady) {
  if (!steady) return nullptr;
  Json json = estimate_json(steady->fetch);
  json["cached_ratio"] = json_number(steady->cached_ratio);
  return json;
}

Json late_rank_json(const std::optional<LateRank>& late, const Profile* profile) {
  if (!late) return nullptr;
  return {{"rank", late->rank},
          {"host", profile != nullptr ? Json(host_of(*profile, late->rank)) : Json(nullptr)},
          {"cause", to_string(late->cause)},
          {"condition", to_string(late->condition)},
          {"s", json_number(late->s)}};
}

Json step_by_condition_json(const Ledger& ledger) {
  Json json = Json::object();
  for (const auto& [condition, time] : ledger.step_by_condition) {
    json[std::string(to_string(condition))] = estimate_json(time);
  }
  return json;
}

Json coverage_json(const Ledger& ledger, const Profile* profile) {
  Json absent = Json::object();
  for (const Part part : kParts) {
    if (ledger[part]) continue;
    absent[std::string(to_string(part))] = profile != nullptr ? Json(why_absent(part, *profile)) : Json(nullptr);
  }
  return {{"explained_ratio", json_number(explained_ratio(ledger))}, {"absent", absent}};
}

}  // namespace

nlohmann::ordered_json json_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

nlohmann::ordered_json estimate_json(const Estimate& estimate) {
  return {
      {"s", json_number(estimate.s)}, {"low_s", json_number(estimate.low_s)}, {"high_s", json_number(estimate.high_s)}};
}

nlohmann::ordered_json ledger_json(const Ledger& ledger, std::optional<double> usd_per_hour, const Profile* profile) {
  return {{"step", estimate_json(ledger.step)},
          {"parts", parts_json(ledger, usd_per_hour)},
          {"steady_fetch", steady_fetch_json(ledger.steady_fetch)},
          {"published", published_json(ledger.published)},
          {"communication", communication_json(ledger)},
          {"late_rank", late_rank_json(ledger.late_rank, profile)},
          {"step_by_condition", step_by_condition_json(ledger)},
          {"rounds", ledger.rounds},
          {"rounds_left_out", ledger.rounds_left_out},
          {"coverage", coverage_json(ledger, profile)}};
}

}  // namespace stash
