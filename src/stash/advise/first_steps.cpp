#include "stash/advise/first_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stash/advise/launch_gaps.h"
#include "stash/advise/measured_steps.h"
#include "stash/advise/simulated_steps.h"
#include "stash/advise/tried_steps.h"
#include "stash/attribute/steady_fetch.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::size_t kMostSteps = 5;
// What is less effort comes first when it saves this share of what is the most.
constexpr double kEasierRatio = 0.5;
// A rank is called late where the 95 % half width of its delay is at most this share of it (attribute/late_rank.cpp).
constexpr double kLateWidthRatio = 0.5;

bool is_worth_it(const FirstStep& step, const Stall& stall) {
  const Estimate& best = step.best();
  const bool is_clear = step.measured || best.s > half_width_s(stall.time);
  return best.s >= kWorthRatio * step.of_s && best.low_s > 0 && is_clear;
}

// The first is the easiest that saves enough; then those that save most.
void put_first_things_first(std::vector<FirstStep>& steps) {
  std::ranges::stable_sort(steps, std::ranges::greater{}, [](const FirstStep& step) { return step.best().s; });
  if (steps.empty()) return;
  const double enough_s = kEasierRatio * steps.front().best().s;
  auto first = steps.begin();
  for (auto step = steps.begin(); step != steps.end() && step->best().s >= enough_s; ++step) {
    if (step->effort < first->effort) first = step;
  }
  std::rotate(steps.begin(), first, first + 1);
  if (steps.size() > kMostSteps) steps.resize(kMostSteps);
}

std::string where_to_look(LateCause cause) {
  switch (cause) {
    case LateCause::compute:
      return "its device and its cores: clock, temperature, other processes";
    case LateCause::link:
      return "its link: rate, errors, the switch port";
    case LateCause::input:
      return "its storage and its cores: other readers, workers that get no core";
  }
  return "";
}

// The others wait for it in every step, unless the input makes all wait longer.
std::optional<FirstStep> about_late_rank(const JobFacts& facts) {
  const std::optional<LateRank>& late = facts.ledger.late_rank;
  const double of_s = steady_step_s(facts.ledger);
  if (!late || !(late->s >= kWorthRatio * of_s)) return std::nullopt;
  if (late->cause != LateCause::input && input_limits(facts.ledger, false)) return std::nullopt;
  const Part part = part_added_by(late->condition);
  const double s = part == Part::compute || !facts.ledger[part] ? late->s : std::min(late->s, facts.ledger[part]->s);
  const std::string host = host_of(facts.profile, late->rank);
  return FirstStep{
      .part = part,
      .action = fmt::format("look at rank {}{}, which keeps the others waiting", late->rank,
                            host.empty() ? "" : " on " + host),
      .how = where_to_look(late->cause),
      .because = fmt::format("its {} takes {} longer per step than the median of the other ranks, first under {}",
                             to_string(late->cause), format_duration(late->s), to_string(late->condition)),
      .saved = {s, s * (1 - kLateWidthRatio), s * (1 + kLateWidthRatio)},
      .of_s = of_s,
      .fix = fix_variant({.kind = FixKind::no_delay, .value = late->rank})};
}

bool exceeds_noise(const FirstStep& late, const std::vector<Stall>& stalls) {
  return stalls.empty() || late.saved.s > half_width_s(stalls.front().time);
}

// What a step computes is no stall; what it waits for meanwhile may be more than any.
std::vector<FirstStep> with_launches(const JobFacts& facts, std::vector<FirstStep> steps) {
  if (std::optional<FirstStep> gaps = input_limits(facts.ledger, false) ? std::nullopt : about_launch_gaps(facts)) {
    const auto place =
        std::ranges::find_if(steps, [&](const FirstStep& step) { return step.best().s < gaps->saved.s; });
    steps.insert(place, std::move(*gaps));
    if (steps.size() > kMostSteps) steps.resize(kMostSteps);
  }
  return steps;
}

}  // namespace

std::vector<FirstStep> first_steps(const Profile& profile, const Ledger& ledger, std::span<const Instance> instances) {
  const JobFacts facts(profile, ledger);
  const std::vector<Stall> stalls = stalls_worth_a_step(ledger);
  const bool has_tries = !profile.tried.empty();
  std::optional<SimulatedSteps> simulated = stalls.empty() && !has_tries ? std::nullopt : SimulatedSteps::of(facts);
  const std::vector<TriedStep> tried = tried_steps(facts, simulated ? &*simulated : nullptr);
  const double step_s = steady_step_s(ledger);
  if (std::optional<FirstStep> late = about_late_rank(facts); late && exceeds_noise(*late, stalls)) {
    std::vector<FirstStep> steps{*late};
    take_measured(steps, tried, step_s);
    const auto same = std::ranges::find(steps, late->fix, &FirstStep::fix);
    if (same != steps.end()) {
      std::rotate(steps.begin(), same, same + 1);
      return steps;
    }
  }
  for (const Stall& stall : stalls) {
    std::optional<std::vector<FirstStep>> steps;
    if (simulated) steps = simulated->against(stall, instances);
    if (!steps) steps = measured_steps(facts, stall);
    take_measured(*steps, tried, step_s);
    std::erase_if(*steps, [&](const FirstStep& step) { return !is_worth_it(step, stall); });
    put_first_things_first(*steps);
    if (!steps->empty()) return with_launches(facts, std::move(*steps));
  }
  std::vector<FirstStep> found;
  take_measured(found, tried, step_s);
  put_first_things_first(found);
  return with_launches(facts, std::move(found));
}

}  // namespace stash
