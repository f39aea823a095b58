#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/core/version.h"
#include "stash/report/difference_report.h"
#include "stash/report/ledger_json.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;

inline constexpr int kDifferenceSchemaVersion = 1;

Json estimate_or_null(const std::optional<Estimate>& estimate) {
  return estimate ? estimate_json(*estimate) : Json(nullptr);
}

Json change_json(const Change& change, const Difference& difference) {
  return {{"before", estimate_or_null(change.before)},
          {"after", estimate_or_null(change.after)},
          {"change", estimate_or_null(change.change)},
          {"ratio", change.change ? json_number(ratio_of_step(change.change->s, difference)) : Json(nullptr)},
          {"p", json_number(change.p)},
          {"real", change.change ? Json(change.real) : Json(nullptr)},
          {"why_absent", change.why_absent.empty() ? Json(nullptr) : Json(change.why_absent)}};
}

Json mismatches_json(const std::vector<Mismatch>& mismatches) {
  Json json = Json::array();
  for (const Mismatch& one : mismatches) {
    json.push_back({{"what", one.what}, {"before", one.before}, {"after", one.after}});
  }
  return json;
}

Json over_json(const DifferencePage& page) {
  if (!page.limit_ratio) return nullptr;
  Json json = Json::array();
  for (const std::optional<Part> part : increases_over(page.difference, *page.limit_ratio)) {
    json.push_back(part ? to_string(*part) : "step");
  }
  return json;
}

}  // namespace

std::string render_difference_json(const DifferencePage& page, const ReportOptions&) {
  const Difference& difference = page.difference;
  Json parts = Json::object();
  for (const Part part : kParts) parts[std::string(to_string(part))] = change_json(difference[part], difference);
  const Json json{{"schema_version", kDifferenceSchemaVersion},
                  {"tool", tool_json()},
                  {"verdict", difference_verdict(page)},
                  {"step", change_json(difference.step, difference)},
                  {"parts", parts},
                  {"limit_ratio", json_number(page.limit_ratio)},
                  {"over_limit", over_json(page)},
                  {"different_jobs", mismatches_json(difference.jobs)},
                  {"different_settings", mismatches_json(difference.settings)},
                  {"warnings", difference_warnings(difference)},
                  {"jobs", {{"before", to_json(page.before.job)}, {"after", to_json(page.after.job)}}}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
