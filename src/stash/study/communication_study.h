#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/study/communication_fit.h"
#include "stash/study/line_fit.h"

namespace stash {

// A held-out model counts as predicted when its stall is off by at most this share of itself or of the step.
inline constexpr double kStallTolerance_ratio = 0.10;
inline constexpr double kStepTolerance_ratio = 0.02;

// One model: what was measured, and what the coefficients give for it.
struct StudyCase {
  Observation observation;
  bool held_out = false;  // the fit has not seen it
  double predicted_s = 0;

  double error_s() const { return predicted_s - observation.stall.s; }
  std::optional<double> error_ratio() const;  // of the stall; nullopt where there is none
  double step_error_ratio() const;            // of the step
  bool within_tolerance() const;
};

// A profile that could not be measured or used.
struct StudyFailure {
  std::string model;
  std::string why;
  bool held_out = false;
};

// How layers and gradients drive the communication stall of one set of ranks.
struct CommunicationStudy {
  Job job;  // of the first profile; the others differ in the model, the batch and how long was measured
  int nodes = 1;
  CommunicationFit fit;
  std::vector<StudyCase> cases;      // those fitted first, each by gradient bytes
  std::optional<LineFit> by_layers;  // stall in seconds against the number of layers, as the Stash study had it
  std::optional<LineFit> by_bytes;   // against gradient bytes
  std::vector<StudyFailure> failures;
};

// Models that the fit was to rest on, whether they were measured or not.
std::size_t count_meant(const CommunicationStudy& study);

// `held_out` names models; `failures` are those that there is no profile of. Error where profiles differ in more than
// the model, or are too few. A profile that says nothing of communication becomes a failure.
CommunicationStudy study_communication(std::span<const Profile> profiles, std::span<const std::string> held_out,
                                       std::vector<StudyFailure> failures = {});

}  // namespace stash
