#pragma once

#include <optional>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// Of epochs, where a job brings no data of its own.
inline constexpr double kImageNetImages = 1'281'167;  // ILSVRC 2012, training
inline constexpr double kSquadQuestions = 87'599;     // SQuAD 1.1, training: what the study trained BERT on

// How long an epoch of a measured job takes.
struct EpochTime {
  double samples = 0;
  double first_s = 0;  // nothing is cached
  Estimate later;      // with what the page cache holds of that many samples
};

// ImageNet's training images, or SQuAD's questions, where the job brought no data of its own.
double default_epoch_samples(const Job& job);

// Of `samples` samples, each as large as those that were measured.
EpochTime epoch_time(const Profile& profile, const Ledger& ledger, double samples);

}  // namespace stash
