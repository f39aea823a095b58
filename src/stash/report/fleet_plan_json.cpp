#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/report/fleet_plan_report.h"
#include "stash/report/ledger_json.h"

namespace stash {
namespace {

using OrderedPlanJson = nlohmann::ordered_json;

constexpr int kFleetPlanSchema = 1;

OrderedPlanJson null_or_number(const std::optional<double>& value) {
  return value ? OrderedPlanJson(*value) : OrderedPlanJson();
}

OrderedPlanJson type_json(const PlannedType& type) {
  return {{"name", type.name},
          {"usd_per_hour", type.usd_per_hour},
          {"per_s", null_or_number(type.per_s)},
          {"low_per_s", null_or_number(type.low_per_s)},
          {"high_per_s", null_or_number(type.high_per_s)},
          {"batch", type.per_s ? OrderedPlanJson(type.batch) : OrderedPlanJson()},
          {"usd_per_million", null_or_number(type.usd_per_million)},
          {"hours", type.hours},
          {"most", type.most},
          {"why", type.why},
          {"source", type.source}};
}

OrderedPlanJson hour_json(const FleetPlan& plan, const PlannedHour& hour) {
  OrderedPlanJson machines = OrderedPlanJson::object();
  for (const PlannedType& type : plan.types) {
    if (type.most > 0) machines[type.name] = {{"fewest", hour.fewest[type.index]}, {"most", hour.most[type.index]}};
  }
  return {{"begin_s", hour.begin_s},
          {"requests", hour.requests},
          {"most_per_min", hour.most_per_min},
          {"forecast_per_min", null_or_number(hour.forecast_per_min)},
          {"machines", machines},
          {"usd", hour.usd},
          {"missed", hour.missed},
          {"by_function", hour.by_function}};
}

}  // namespace

std::string fleet_plan_json(const FleetPlan& plan) {
  OrderedPlanJson types = OrderedPlanJson::array(), hours = OrderedPlanJson::array(), next = OrderedPlanJson::array();
  for (const PlannedType& one : plan.types) types.push_back(type_json(one));
  for (const PlannedHour& one : plan.hours) hours.push_back(hour_json(plan, one));
  for (const NextDollar& one : plan.next) {
    next.push_back({{"what", one.what}, {"usd_per_day", one.usd_per_day}, {"fewer_missed", one.fewer_missed}});
  }
  const OrderedPlanJson document{{"schema_version", kFleetPlanSchema},
                                 {"tool", tool_json()},
                                 {"verdict", fleet_plan_verdict(plan)},
                                 {"model", plan.model},
                                 {"market", plan.market},
                                 {"trace", plan.trace},
                                 {"objective_s", plan.objective.latency_s},
                                 {"meet_ratio", plan.objective.meet_ratio},
                                 {"meets_objective", plan.meets()},
                                 {"begin_s", plan.begin_s},
                                 {"duration_s", plan.duration_s},
                                 {"usd", plan.usd},
                                 {"functions_usd", plan.function_usd},
                                 {"requests", plan.requests},
                                 {"missed_ratio", plan.missed_ratio()},
                                 {"by_function", plan.by_function},
                                 {"function", plan.function},
                                 {"best_single_usd", null_or_number(plan.best_single_usd)},
                                 {"peak_usd", null_or_number(plan.peak_usd)},
                                 {"machines", types},
                                 {"hours", hours},
                                 {"next_dollar", next},
                                 {"assumptions", plan.assumptions},
                                 {"warnings", plan.warnings}};
  return document.dump(2, ' ', true, OrderedPlanJson::error_handler_t::replace) + "\n";
}

}  // namespace stash
