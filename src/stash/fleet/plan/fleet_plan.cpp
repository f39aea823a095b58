#include "stash/fleet/plan/fleet_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/policy/fleet_offers.h"
#include "stash/fleet/policy/fluid_replay.h"
#include "stash/fleet/policy/make_fleet_policy.h"
#include "stash/fleet/policy/planning_policy.h"
#include "stash/fleet/policy/single_type.h"
#include "stash/fleet/traffic/load_minutes.h"

namespace stash {
namespace {

constexpr std::size_t kDay = 1440;
// What a forecast learns of: more days make it slower and no better.
constexpr std::size_t kMostKnown = 7 * kDay;
constexpr std::size_t kMostNext = 3;
constexpr std::size_t kMostStretches = 288;  // five minutes of a day

// The last day, with up to a week before it.
struct PlannedMinutes {
  std::vector<LoadMinute> minutes;
  std::size_t first = 0;
  double begin_s = 0;  // of minutes.front()
};

PlannedMinutes planned_minutes(const LoadTrace& trace) {
  PlannedMinutes found{.minutes = minutes_of(trace), .begin_s = trace.begin_s};
  auto& minutes = found.minutes;
  while (!minutes.empty() && minutes.back().hole) minutes.pop_back();
  if (minutes.empty()) throw Error("the trace has no recorded minute");
  if (minutes.size() > kMostKnown + kDay) {
    const std::size_t extra = minutes.size() - kMostKnown - kDay;
    minutes.erase(minutes.begin(), minutes.begin() + static_cast<std::ptrdiff_t>(extra));
    found.begin_s += 60.0 * static_cast<double>(extra);
  }
  found.first = minutes.size() > kDay ? minutes.size() - kDay : 0;
  return found;
}

std::string why_not(const Market& market, const RatedType& type, std::span<const FleetOffer> offers,
                    const RatedType& cheapest) {
  const bool is_useful = std::ranges::find(offers, type.type, &FleetOffer::type) != offers.end();
  const std::string& best = market.machines[cheapest.type].name;
  const double ratio = type.usd_per_request / cheapest.usd_per_request;
  if (type.type == cheapest.type) return "the cheapest per request where it is busy, which this load never made it";
  if (!is_useful) {
    return fmt::format(
        "never pays: others that take as much and start as soon cost no more ({:.2f} times {} per request)", ratio,
        best);
  }
  return fmt::format("{:.2f} times the price of {} per request, and no load here was small or short enough for it",
                     ratio, best);
}

std::string why_used(const Market& market, const PlannedType& type, const RatedType& rated, const RatedType& cheapest,
                     double planned_hours) {
  if (rated.type == cheapest.type) {
    return type.hours >= planned_hours ? "the cheapest per request: carries the load of all hours"
                                       : "the cheapest per request";
  }
  return fmt::format(
      "for what is too little or too short for {}, which costs {:.2f} times as much per hour and {:.2f} "
      "times as much per request when both are busy",
      market.machines[cheapest.type].name, cheapest.usd_per_s / rated.usd_per_s,
      cheapest.usd_per_request / rated.usd_per_request);
}

void add_types(FleetPlan& plan, const Market& market, std::span<const RatedType> rated, const FluidReplay& replay) {
  const auto offers = fleet_offers(market, rated, 1);
  for (std::size_t i = 0; i < market.machines.size(); ++i) {
    const MachineType& machine = market.machines[i];
    PlannedType type{
        .index = i, .name = machine.name, .usd_per_hour = machine.usd_per_hour, .why = {}, .source = machine.source};
    for (const auto& ready : replay.ready) {
      type.hours += ready[i] / 60.0;
      type.most = std::max(type.most, ready[i]);
    }
    const auto found = std::ranges::find(rated, i, &RatedType::type);
    if (found == rated.end()) {
      type.why = fmt::format("cannot meet the objective: one request takes {}", format_duration(machine.times.at(1)));
    } else {
      type.per_s = found->capacity.per_s;
      type.low_per_s = found->capacity.low_per_s;
      type.high_per_s = found->capacity.high_per_s;
      type.batch = found->capacity.batch;
      type.usd_per_million = found->usd_per_request * 1e6;
      type.why = type.hours > 0 ? why_used(market, type, *found, rated.front(), plan.duration_s / kSecondsPerHour)
                                : why_not(market, *found, offers, rated.front());
    }
    plan.types.push_back(std::move(type));
  }
  std::ranges::stable_sort(plan.types, std::greater{}, &PlannedType::hours);
}

void add_hours(FleetPlan& plan, const PlannedMinutes& planned, const FluidReplay& replay, std::size_t types) {
  for (std::size_t k = 0; k < replay.usd_by_min.size(); ++k) {
    const std::size_t at = planned.first + k;
    const double now_s = planned.begin_s + 60.0 * static_cast<double>(at);
    const double hour_s = std::floor(now_s / kSecondsPerHour) * kSecondsPerHour;
    if (plan.hours.empty() || plan.hours.back().begin_s != hour_s) {
      plan.hours.push_back({.begin_s = hour_s, .fewest = replay.ready[k], .most = std::vector<int>(types)});
    }
    PlannedHour& hour = plan.hours.back();
    const LoadMinute& minute = planned.minutes[at];
    if (!minute.hole) {
      hour.requests += minute.requests;
      hour.most_per_min = std::max(hour.most_per_min, minute.requests);
    }
    if (const auto& forecast = replay.forecasts[k]) {
      hour.forecast_per_min = std::max(hour.forecast_per_min.value_or(0), forecast->p95);
    }
    for (std::size_t i = 0; i < types; ++i) {
      hour.fewest[i] = std::min(hour.fewest[i], replay.ready[k][i]);
      hour.most[i] = std::max(hour.most[i], replay.ready[k][i]);
    }
    hour.usd += replay.usd_by_min[k];
    hour.missed += replay.missed_by_min[k];
    hour.by_function += replay.by_function_by_min[k];
  }
}

// Forecasts by the minute that they are of.
std::vector<std::optional<LoadBand>> bands_by_minute(const FluidReplay& replay, std::size_t first) {
  std::vector<std::optional<LoadBand>> found(replay.forecasts.size());
  for (const auto& band : replay.forecasts) {
    if (!band) continue;
    const double at = std::round(band->minute_s / 60) - static_cast<double>(first);
    if (at >= 0 && at < static_cast<double>(found.size())) found[static_cast<std::size_t>(at)] = band;
  }
  return found;
}

PlannedStretch stretch_of(const PlannedMinutes& planned, const FluidReplay& replay,
                          std::span<const std::optional<LoadBand>> bands, std::size_t begin, std::size_t end) {
  const std::size_t types = replay.ready.front().size();
  PlannedStretch found{.begin_s = planned.begin_s + 60.0 * static_cast<double>(planned.first + begin),
                       .machines = std::vector<double>(types)};
  double requests = 0, recorded = 0, forecasts = 0;
  LoadBand band;
  for (std::size_t k = begin; k < end; ++k) {
    const LoadMinute& minute = planned.minutes[planned.first + k];
    if (!minute.hole) requests += minute.requests, recorded += 1;
    const double share = 1 / static_cast<double>(end - begin);
    found.capacity_per_min += share * replay.capacity[k];
    for (std::size_t i = 0; i < types; ++i) found.machines[i] += share * replay.ready[k][i];
    if (!bands[k]) continue;
    band.p05 += bands[k]->p05, band.p50 += bands[k]->p50, band.p95 += bands[k]->p95;
    forecasts += 1;
  }
  if (recorded > 0) found.per_min = requests / recorded;
  if (forecasts > 0) {
    found.forecast = {found.begin_s, band.p05 / forecasts, band.p50 / forecasts, band.p95 / forecasts};
  }
  return found;
}

void add_stretches(FleetPlan& plan, const PlannedMinutes& planned, const FluidReplay& replay) {
  const std::size_t all = replay.ready.size();
  const std::size_t each = (all + kMostStretches - 1) / kMostStretches;
  const auto bands = bands_by_minute(replay, planned.first);
  for (std::size_t k = 0; k < all; k += each) {
    plan.stretches.push_back(stretch_of(planned, replay, bands, k, std::min(all, k + each)));
  }
}

// One more of a machine all day: what it would take over from functions and from what is missed.
void add_next(FleetPlan& plan, const Market& market, std::span<const RatedType> rated, const FluidReplay& replay,
              double usd_per_function) {
  for (const RatedType& one : rated) {
    double missed = 0, functions = 0;
    for (std::size_t k = 0; k < replay.missed_by_min.size(); ++k) {
      missed += std::min(one.per_min(), replay.missed_by_min[k]);
      functions += std::min(one.per_min(), replay.by_function_by_min[k]);
    }
    const double usd =
        one.usd_per_s * 60 * static_cast<double>(replay.missed_by_min.size()) - functions * usd_per_function;
    plan.next.push_back({fmt::format("one more {} all day", market.machines[one.type].name), usd, missed});
  }
  if (usd_per_function > 0 && replay.missed > 0) {
    plan.next.push_back({fmt::format("functions ({}) for all that is missed", plan.function),
                         usd_per_function * replay.missed, replay.missed});
  }
  std::ranges::sort(plan.next, std::greater{},
                    [](const NextDollar& next) { return next.fewer_missed / std::max(1e-9, next.usd_per_day); });
  if (plan.next.size() > kMostNext) plan.next.resize(kMostNext);
}

}  // namespace

FleetPlan plan_fleet(const Market& market, const LoadTrace& trace, const FleetObjective& objective) {
  const std::vector<RatedType> rated = rated_types(market, objective);
  const PlannedMinutes planned = planned_minutes(trace);
  const auto policy = make_planning_policy("stash", market, rated, objective, make_forecast_outlook(planned.begin_s));
  const FluidReplay replay = fluid_replay(*policy, market, rated, planned.minutes, planned.first);
  FleetPlan plan{.model = market.model,
                 .market = {},
                 .trace = {},
                 .objective = objective,
                 .begin_s = planned.begin_s + 60.0 * static_cast<double>(planned.first),
                 .duration_s = 60.0 * static_cast<double>(replay.usd_by_min.size()),
                 .usd = replay.usd,
                 .requests = replay.requests,
                 .missed = replay.missed,
                 .by_function = replay.by_function,
                 .function_usd = replay.function_usd,
                 .function = {},
                 .types = {},
                 .hours = {},
                 .stretches = {},
                 .next = {},
                 .assumptions = {},
                 .warnings = trace.warnings};
  const FunctionType* const function = cheapest_function(market, objective);
  if (function != nullptr) plan.function = function->name;
  add_types(plan, market, rated, replay);
  add_hours(plan, planned, replay, market.machines.size());
  add_stretches(plan, planned, replay);
  add_next(plan, market, rated, replay, function == nullptr ? 0 : usd_per_request(*function));

  const auto known = std::span(planned.minutes).subspan(planned.first);
  const auto single = make_best_single_type(market, rated, objective, kKubernetesRule, known);
  plan.best_single_usd = fluid_replay(*single, market, rated, known).usd;
  const auto peak = make_peak(market, rated, known);
  plan.peak_usd = fluid_replay(*peak, market, rated, known).usd;
  plan.assumptions = {
      "the last day of the trace, by minutes: what a minute has above the machines' capacity is missed or goes to "
      "functions; `stash fleet replay` has every request",
      planned.first == 0
          ? "the trace has no day before it to learn from: the first hours are forecast by their last minutes"
          : fmt::format("forecasts learn from the {:.1f} days before", static_cast<double>(planned.first) / kDay)};
  if (function == nullptr) plan.assumptions.emplace_back("no function can meet the objective, so none is used");
  return plan;
}

}  // namespace stash
