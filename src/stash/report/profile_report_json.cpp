#include <nlohmann/json.hpp>

#include "stash/attribute/coverage.h"
#include "stash/core/profile_json.h"
#include "stash/core/version.h"
#include "stash/report/first_step_json.h"
#include "stash/report/ledger_json.h"
#include "stash/report/report.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;

inline constexpr int kReportSchemaVersion = 1;

Json work_json(const std::optional<ScriptWork>& work) {
  if (!work) return nullptr;
  Json rows = Json::array();
  for (const WorkRow& row : work->rows) {
    rows.push_back({{"class", to_string(row.kind)},
                    {"dtype", row.dtype.empty() ? Json(nullptr) : Json(row.dtype)},
                    {"pass", row.pass ? Json(to_string(*row.pass)) : Json(nullptr)},
                    {"s", json_number(row.s)},
                    {"operations", json_number(row.operations)},
                    {"bytes", json_number(row.bytes)},
                    {"launches", row.launches}});
  }
  return {{"steps", work->steps}, {"step_s", json_number(work->step_s)}, {"on_gpu", work->on_gpu}, {"rows", rows}};
}

}  // namespace

std::string render_json(const Report& report) {
  const Profile& profile = report.profile;
  const Ledger& ledger = report.ledger;
  std::vector<std::string> warnings = ledger_warnings(profile, ledger);
  warnings.insert(warnings.end(), profile.warnings.begin(), profile.warnings.end());
  const std::string emulated = emulated_name(profile.job);
  Json json{{"schema_version", kReportSchemaVersion},
            {"tool", tool_json()},
            {"verdict", verdict(profile, ledger)},
            {"emulated", emulated.empty() ? Json(nullptr) : Json(emulated)},
            {"ledger", ledger_json(ledger, report.usd_per_hour, &profile)},
            {"first_step", first_step_json(report.first_steps, report.usd_per_hour)},
            {"tried", tried_json(report.tries)},
            {"not_tried", not_tried_json(report.tries)},
            {"usd_per_hour", json_number(report.usd_per_hour)},
            {"stopped_by", to_string(profile.stopped_by)},
            {"complete", profile.complete},
            {"elapsed_s", json_number(profile.elapsed_s)},
            {"warnings", warnings},
            {"job", to_json(profile.job)},
            {"machine", to_json(profile.machine)},
            {"script", profile.script ? Json(to_json(*profile.script)) : Json(nullptr)},
            {"work", work_json(profile.work)}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
