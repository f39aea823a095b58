#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/report/ledger_json.h"
#include "stash/report/study.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kStudySchemaVersion = 1;

Json coefficient_json(const Coefficient& coefficient) {
  return {{"value", json_number(coefficient.value)},
          {"low", json_number(coefficient.low)},
          {"high", json_number(coefficient.high)}};
}

Json line_json(const std::optional<LineFit>& line, const char* slope_name) {
  if (!line) return nullptr;
  return {{"intercept_s", json_number(line->intercept)},
          {slope_name, json_number(line->slope)},
          {"r_squared", json_number(line->r_squared)}};
}

Json case_json(const StudyCase& row) {
  const Observation& o = row.observation;
  Json buckets = Json::array();
  for (const ReadyBucket& bucket : o.buckets) {
    buckets.push_back({{"bytes", json_number(bucket.bytes)}, {"ready_s", json_number(bucket.ready_s)}});
  }
  return {{"model", o.model},
          {"batch", o.batch},
          {"held_out", row.held_out},
          {"layers", o.layers},
          {"collectives", o.buckets.size()},
          {"gradient_bytes", json_number(o.gradient_bytes)},
          {"backward_s", json_number(o.backward_s)},
          {"window_s", json_number(overlap_window_s(o))},
          {"buckets", std::move(buckets)},
          {"step_s", json_number(o.step_s)},
          {"stall", estimate_json(o.stall)},
          {"predicted_s", json_number(row.predicted_s)},
          {"error_ratio", json_number(row.error_ratio())},
          {"step_error_ratio", json_number(row.step_error_ratio())},
          {"within_tolerance", row.within_tolerance()}};
}

}  // namespace

std::string render_study_json(const CommunicationStudy& study) {
  Json cases = Json::array(), failures = Json::array();
  for (const StudyCase& row : study.cases) cases.push_back(case_json(row));
  for (const StudyFailure& failure : study.failures) {
    failures.push_back({{"model", failure.model}, {"why", failure.why}});
  }
  const Json json{{"schema_version", kStudySchemaVersion},
                  {"tool", tool_json()},
                  {"job",
                   {{"device", study.job.device.text()},
                    {"dtype", study.job.dtype},
                    {"backend", study.job.backend},
                    {"ranks", study.job.ranks},
                    {"nodes", study.nodes},
                    {"bucket_bytes", study.job.bucket_bytes}}},
                  {"verdict", study_verdict(study)},
                  {"fit",
                   {{"models", std::ranges::count(study.cases, false, &StudyCase::held_out)},
                    {"models_meant", count_meant(study)},
                    {"latency_s", coefficient_json(study.fit.latency_s)},
                    {"s_per_byte", coefficient_json(study.fit.s_per_byte)},
                    {"paired_ratio", study.fit.paired_ratio ? coefficient_json(*study.fit.paired_ratio) : Json()},
                    {"slowdown_ratio", coefficient_json(study.fit.slowdown_ratio)},
                    {"r_squared", json_number(study.fit.r_squared)}}},
                  {"lines",
                   {{"layers", line_json(study.by_layers, "s_per_layer")},
                    {"gradient_bytes", line_json(study.by_bytes, "s_per_byte")}}},
                  {"cases", std::move(cases)},
                  {"failures", std::move(failures)}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
