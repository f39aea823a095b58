#include "stash/attribute/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/attribute/attribute.h"
#include "stash/attribute/coverage.h"
#include "stash/attribute/round_table.h"
#include "stash/attribute/stopping.h"
#include "stash/core/statistics.h"

namespace stash {

namespace {

// Of the false alarms that are allowed, the share that is the step's: it is what is asked first, and what a limit is
// about. The parts share the rest until the step has changed for certain. Simulated: with equal shares a step that
// is 3 % slower is missed about three times as often.
constexpr double kStepShare = 0.9;

// Profiles stop when their spread looks small, which makes chance look a little smaller than it is. Simulated
// (bench/diff_power): at this level, false alarms are what kFalseAlarmRatio allows.
constexpr double kTestLevel = 0.9 * kFalseAlarmRatio;

constexpr double kClockTick_s = 1e-9;  // what differs by less was not seen to differ

// One value for each round, and what the edges of the windows put on each of them.
struct Sample {
  std::vector<double> s;
  double edge_s = 0;
};

struct Samples {
  Sample step;
  std::array<std::optional<Sample>, kParts.size()> parts;
};

Samples samples_of(const Profile& profile) {
  Samples samples;
  double edge_before_s = 0;
  bool is_first = true;
  for (const ConditionRounds& rounds : undisturbed_rounds(complete_rounds(profile), profile.edge_s)) {
    if (!is_first || rounds.condition == Condition::solo) {
      samples.parts[static_cast<std::size_t>(part_added_by(rounds.condition))] =
          Sample{rounds.added_s, rounds.edge_s - edge_before_s};
    }
    samples.step = {rounds.step_s, rounds.edge_s};
    edge_before_s = rounds.edge_s;
    is_first = false;
  }
  return samples;
}

// Clocks, temperatures and neighbours move slowly, and rounds that follow each other are alike. With fewer rounds than
// this their likeness cannot be distinguished from chance.
constexpr std::size_t kRoundsToSeeLikeness = 12;
constexpr double kMostLikeness = 0.8;

// Correlation of a round with the next, of both profiles together; what so few rounds show too little of is added.
double likeness_of(const Sample& before, const Sample& after) {
  const auto rounds = static_cast<double>(std::min(before.s.size(), after.s.size()));
  if (rounds < kRoundsToSeeLikeness) return 0;
  const double shown = (next_correlation(before.s) + next_correlation(after.s)) / 2;
  return std::clamp(shown + (1 + 4 * shown) / rounds, 0.0, kMostLikeness);
}

// Welch's: the two profiles need not be equally noisy, nor equally long.
struct Spread {
  double error_s = 0;  // standard error of the difference of two means
  int degrees = 1;     // rounded down, towards the wider interval
};

Spread spread_of(const Sample& before, const Sample& after) {
  const double likeness = likeness_of(before, after);
  const double rounds_for_one = (1 + likeness) / (1 - likeness);  // this many say as much as one that stands alone
  const auto squared_error = [&](const Sample& sample) {
    return rounds_for_one * sample_variance(sample.s) / static_cast<double>(sample.s.size());
  };
  const auto freedom = [&](const Sample& sample) { return static_cast<double>(sample.s.size() - 1) / rounds_for_one; };
  const double was = squared_error(before), is = squared_error(after);
  const double sum = was + is;
  if (!(sum > 0)) return {0, static_cast<int>(freedom(before) + freedom(after))};
  // As shares of the sum, whose square could be too small or too large for a number.
  const double degrees = 1 / ((was / sum) * (was / sum) / freedom(before) + (is / sum) * (is / sum) / freedom(after));
  return {std::sqrt(sum), std::max(1, static_cast<int>(degrees + 1e-9))};
}

double chance_of(double distance_s, const Spread& spread) {
  if (!(distance_s > 0)) return 1;
  return spread.error_s > 0 ? std::max(0.0, 1 - student_t_within(distance_s / spread.error_s, spread.degrees)) : 0;
}

// Both profiles have what their edges cost; what is not the same in both repetition does not average away.
void fill_change(Change& change, const Sample& before, const Sample& after) {
  const Spread spread = spread_of(before, after);
  const double edge_s = std::abs(after.edge_s - before.edge_s);
  const double s = change.after->s - change.before->s;
  const double half_s = student_t_quantile_975(spread.degrees) * spread.error_s + edge_s;
  change.change = Estimate{s, s - half_s, s + half_s};
  change.p = chance_of(std::abs(s) - edge_s - kClockTick_s, spread);
}

// Holm's step-down procedure, weighted: the least likely for its weight first, each against what is left.
void mark_real(Difference& difference) {
  struct Claim {
    Change* change;
    double weight;
  };
  std::vector<Claim> claims;
  for (Change& part : difference.parts) {
    if (part.p) claims.push_back({&part, 0});
  }
  for (Claim& claim : claims) claim.weight = (1 - kStepShare) / static_cast<double>(claims.size());
  if (difference.step.p) claims.push_back({&difference.step, claims.empty() ? 1 : kStepShare});
  double left = 1;
  std::sort(claims.begin(), claims.end(),
            [](const Claim& a, const Claim& b) { return *a.change->p * b.weight < *b.change->p * a.weight; });
  for (const Claim& claim : claims) {
    if (*claim.change->p > kTestLevel * claim.weight / left) return;
    claim.change->real = true;
    left -= claim.weight;
  }
}

std::string absence(Part part, const Profile& before, const Profile& after, const Change& change) {
  if (change.before && change.after) return "";
  if (change.before) return fmt::format("only before; after: {}", why_absent(part, after));
  if (change.after) return fmt::format("only after; before: {}", why_absent(part, before));
  return why_absent(part, before);
}

void warn_about(std::vector<std::string>& warnings, std::string_view name, const Profile& profile,
                const Ledger& ledger) {
  if (!profile.complete) {
    warnings.push_back(fmt::format("{} ended early ({}); it is compared by what was measured until then", name,
                                   to_string(profile.stopped_by)));
  }
  if (ledger.rounds < kMinRounds) {
    warnings.push_back(fmt::format("{} has {} rounds; with fewer than {} only large differences stand out from noise",
                                   name, ledger.rounds, kMinRounds));
  } else if (!precise_enough(ledger, profile.job.precision_ratio)) {
    warnings.push_back(
        fmt::format("{} did not reach its precision of ±{:g} % of the step; smaller differences are missed", name,
                    profile.job.precision_ratio * 100));
  }
}

}  // namespace

Difference compare(const Profile& before, const Profile& after) {
  const Ledger was = attribute(before), is = attribute(after);
  const Samples from = samples_of(before), to = samples_of(after);
  Difference difference;
  difference.step.before = was.step;
  difference.step.after = is.step;
  fill_change(difference.step, from.step, to.step);
  for (const Part part : kParts) {
    Change& change = difference[part];
    const auto place = static_cast<std::size_t>(part);
    change.before = was[part];
    change.after = is[part];
    change.why_absent = absence(part, before, after, change);
    if (from.parts[place] && to.parts[place]) fill_change(change, *from.parts[place], *to.parts[place]);
  }
  mark_real(difference);
  difference.jobs = job_mismatches(before, after);
  difference.settings = setting_mismatches(before, after);
  if (before == after) difference.warnings.emplace_back("before and after are one and the same measurement");
  warn_about(difference.warnings, "before", before, was);
  warn_about(difference.warnings, "after", after, is);
  return difference;
}

std::optional<double> ratio_of_step(double s, const Difference& difference) {
  const double step_s = difference.step.before->s;
  return step_s > 0 ? std::optional(s / step_s) : std::nullopt;
}

double surely_found_s(const Difference& difference) {
  // A test at 5 % finds in 95 % of pairs what is 1.96 + 1.64 standard errors away from 0; the interval shows 1.96.
  constexpr double kHalfWidths = 3.6 / 1.96;
  const Estimate& change = *difference.step.change;
  return kHalfWidths * (change.high_s - change.low_s) / 2;
}

std::vector<std::optional<Part>> increases_over(const Difference& difference, double limit_ratio) {
  const double limit_s = limit_ratio * difference.step.before->s;
  const auto is_over = [&](const Change& change) {
    return change.real && change.change->s > 0 && change.change->high_s >= limit_s;
  };
  std::vector<std::optional<Part>> over;
  if (difference.step.real && difference.step.change->s < 0) return over;
  if (is_over(difference.step)) over.push_back(std::nullopt);
  for (const Part part : kParts) {
    if (is_over(difference[part])) over.emplace_back(part);
  }
  return over;
}

}  // namespace stash
