#include "stash/study/communication_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stash/attribute/round_table.h"
#include "stash/core/error.h"

namespace stash {
namespace {

bool is_among(std::span<const std::string> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void add_case(CommunicationStudy& study, const Profile& profile, std::span<const std::string> held_out) {
  const std::string& model = profile.job.model;
  const bool is_held_out = is_among(held_out, model);
  try {
    study.cases.push_back({.observation = observe(profile), .held_out = is_held_out});
  } catch (const Error& error) {
    study.failures.push_back({model, error.what(), is_held_out});
  }
}

std::vector<Observation> fitted_ones(const std::vector<StudyCase>& cases) {
  std::vector<Observation> fitted;
  for (const StudyCase& row : cases) {
    if (!row.held_out) fitted.push_back(row.observation);
  }
  return fitted;
}

// What was left out may be why too few are left.
void check_enough(const CommunicationStudy& study, std::size_t fitted) {
  if (fitted >= kFewestFitted || study.failures.empty()) return;
  const StudyFailure& first = study.failures.front();
  throw Error(
      fmt::format("{} profiles to fit are too few, {} are needed; {} could not be used, the first one ({}) since {}",
                  fitted, kFewestFitted, study.failures.size(), first.model, first.why));
}

void fit_lines(CommunicationStudy& study, const std::vector<Observation>& fitted) {
  std::vector<double> layers, bytes, stalls_s;
  for (const Observation& o : fitted) {
    layers.push_back(o.layers);
    bytes.push_back(o.gradient_bytes);
    stalls_s.push_back(o.stall.s);
  }
  study.by_layers = fit_line(layers, stalls_s);
  study.by_bytes = fit_line(bytes, stalls_s);
}

}  // namespace

std::optional<double> StudyCase::error_ratio() const {
  if (!(observation.stall.s > 0)) return std::nullopt;
  return error_s() / observation.stall.s;
}

double StudyCase::step_error_ratio() const { return error_s() / observation.step_s; }

bool StudyCase::within_tolerance() const {
  const std::optional<double> ratio = error_ratio();
  return std::abs(step_error_ratio()) <= kStepTolerance_ratio || (ratio && std::abs(*ratio) <= kStallTolerance_ratio);
}

std::size_t count_meant(const CommunicationStudy& study) {
  return static_cast<std::size_t>(std::ranges::count(study.cases, false, &StudyCase::held_out) +
                                  std::ranges::count(study.failures, false, &StudyFailure::held_out));
}

CommunicationStudy study_communication(std::span<const Profile> profiles, std::span<const std::string> held_out,
                                       std::vector<StudyFailure> failures) {
  CommunicationStudy study;
  study.failures = std::move(failures);
  for (StudyFailure& failure : study.failures) failure.held_out = is_among(held_out, failure.model);
  if (profiles.empty()) {
    check_enough(study, 0);
    throw Error("there are no profiles to study");
  }
  check_alike(profiles);
  study.job = profiles.front().job;
  study.nodes = node_count(profiles.front());
  for (const Profile& profile : profiles) add_case(study, profile, held_out);
  std::ranges::sort(study.cases, {}, [](const StudyCase& row) {
    return std::tuple(row.held_out, row.observation.gradient_bytes, row.observation.model);
  });
  const std::vector<Observation> fitted = fitted_ones(study.cases);
  check_enough(study, fitted.size());
  study.fit = fit_communication(fitted);
  fit_lines(study, fitted);
  for (StudyCase& row : study.cases) row.predicted_s = stall_s(row.observation, study.fit.values());
  return study;
}

}  // namespace stash
