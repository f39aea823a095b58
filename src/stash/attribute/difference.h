#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stash/attribute/comparable.h"
#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// How often two profiles of one unchanged job are said to differ, over the step and all parts together.
inline constexpr double kFalseAlarmRatio = 0.05;

// The step or one part of it, in two profiles.
struct Change {
  std::optional<Estimate> before;  // nullopt: absent there
  std::optional<Estimate> after;
  std::optional<Estimate> change;  // after - before, with its own 95 % interval; nullopt unless in both
  std::optional<double> p;         // of a change at least as large where there is none, for this one alone
  bool real = false;               // beyond chance, corrected for how many were looked at
  std::string why_absent = {};     // where it is not in both; without a full stop
  bool operator==(const Change&) const = default;
};

// What became slower or faster from one profile of a job to another; docs/cli/diff.md has the test.
struct Difference {
  Change step;
  std::array<Change, kParts.size()> parts;  // by Part
  std::vector<Mismatch> jobs;               // not empty: the jobs are not comparable
  std::vector<Mismatch> settings;           // differ too, and may be the cause
  std::vector<std::string> warnings;

  const Change& operator[](Part part) const { return parts[static_cast<int>(part)]; }
  Change& operator[](Part part) { return parts[static_cast<int>(part)]; }
};

// Throws Error where one of them has too few complete rounds. Jobs that differ are compared all the same.
Difference compare(const Profile& before, const Profile& after);

// A change as a share of the step before; nullopt for a step of 0.
std::optional<double> ratio_of_step(double s, const Difference& difference);

// The change of the step that is called real in 95 of 100 pairs as noisy as this one; smaller ones are missed more
// often.
double surely_found_s(const Difference& difference);

// The step (nullopt) and the parts that really became slower by as much as `limit_ratio` of the step before: the
// interval of the increase reaches it. Nothing where the step as a whole really became faster.
std::vector<std::optional<Part>> increases_over(const Difference& difference, double limit_ratio);

}  // namespace stash
