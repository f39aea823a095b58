#include "stash/battery/epoch.h"

#include <algorithm>

#include "stash/attribute/steady_fetch.h"
#include "stash/models/job_graph.h"

namespace stash {
namespace {

// The page cache holds another share of a data set of another size.
Estimate later_step(Profile profile, const Ledger& ledger, double samples) {
  const auto& fetch = ledger[Part::fetch];
  if (!fetch || !profile.dataset_samples || !profile.dataset_bytes || *profile.dataset_samples == 0) return ledger.step;
  const double grown = samples / static_cast<double>(*profile.dataset_samples);
  profile.dataset_bytes = static_cast<std::int64_t>(static_cast<double>(*profile.dataset_bytes) * grown);
  const auto steady = predict_steady_fetch(profile, ledger);
  if (!steady) return ledger.step;
  const Estimate& hot = ledger.step_by_condition.at(Condition::hot);
  return {hot.s + steady->fetch.s, hot.low_s + steady->fetch.low_s, hot.high_s + steady->fetch.high_s};
}

}  // namespace

double default_epoch_samples(const Job& job) {
  const Graph graph = graph_of(job);
  return graph.input == InputKind::images ? kImageNetImages : kSquadQuestions;
}

EpochTime epoch_time(const Profile& profile, const Ledger& ledger, double samples) {
  const double steps = samples / (static_cast<double>(profile.job.batch) * profile.job.ranks);
  const Estimate later = later_step(profile, ledger, samples);
  return {samples, steps * ledger.step.s, {steps * later.s, steps * std::max(later.low_s, 0.0), steps * later.high_s}};
}

}  // namespace stash
