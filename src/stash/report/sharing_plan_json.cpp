#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/report/ledger_json.h"
#include "stash/report/sharing_plan_report.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSharingSchemaVersion = 1;

}  // namespace

nlohmann::ordered_json rate_json(const Rate& rate) {
  return {{"per_s", json_number(rate.per_s)},
          {"low_per_s", json_number(rate.low_per_s)},
          {"high_per_s", json_number(rate.high_per_s)}};
}

std::string render_sharing_json(const SharingPlan& plan) {
  Json jobs = Json::array();
  for (const PlannedJob& job : plan.jobs) {
    jobs.push_back({{"name", job.name},
                    {"ranks", job.ranks},
                    {"workers", job.workers},
                    {"even_workers", job.even_workers},
                    {"throughput", rate_json(job.throughput)},
                    {"even_throughput", rate_json(job.even_throughput)},
                    {"ceiling", rate_json(job.ceiling)}});
  }
  const Json json{{"schema_version", kSharingSchemaVersion},
                  {"tool", tool_json()},
                  {"objective", to_string(plan.objective)},
                  {"cores", plan.resources.cores},
                  {"jobs", std::move(jobs)},
                  {"gain_ratio", json_number(plan.gain_ratio)},
                  {"gain_low_ratio", json_number(plan.gain_low_ratio)},
                  {"gain_high_ratio", json_number(plan.gain_high_ratio)},
                  {"idle_cores", plan.idle_cores},
                  {"assumptions", plan.assumptions}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
