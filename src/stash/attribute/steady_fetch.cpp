#include "stash/attribute/steady_fetch.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

// What the workers need to decode and augment the batch of a step, had they nothing to read; the hot step's own time
// where it is not known, which makes the prediction the largest that it can be.
double prep_alone_s(const Profile& profile, double hot_s) {
  double busy_s = 0;
  double samples = 0;
  for (const InputCounters& counters : profile.inputs) {
    busy_s += counters.decode_s + counters.augment_s + counters.injected_s;
    samples += static_cast<double>(counters.samples);
  }
  if (samples == 0 || profile.job.workers < 1) return hot_s;
  return std::min(busy_s / samples * profile.job.batch / profile.job.workers, hot_s);
}

// A step whose batch takes `input_s` to read and prepare while `missed_ratio` of it comes from storage.
double added_s(double alone_s, double missed_ratio, double hot_s, double cold_s) {
  return std::max(0.0, alone_s + missed_ratio * (cold_s - alone_s) - hot_s);
}

}  // namespace

// A sample that was read at u of one shuffled epoch and comes again at v of the next has seen 1 - u (1 - v) of the
// data set go by. Ordered by last use it is still there when that is less than what the cache holds.
CachedShare cached_share(double held_ratio) {
  const double held = std::clamp(held_ratio, 0.0, 1.0);
  const double out = 1 - held;
  return {.low_ratio = out > 0 ? std::max(0.0, held + out * std::log(out)) : 1, .high_ratio = held};
}

std::optional<SteadyFetch> predict_steady_fetch(const Profile& profile, const Ledger& ledger) {
  const std::optional<Estimate>& fetch = ledger[Part::fetch];
  const bool known = profile.dataset_bytes && *profile.dataset_bytes > 0 && profile.cache_bytes;
  if (!fetch || !known || !ledger.step_by_condition.contains(Condition::hot)) return std::nullopt;
  const double hot_s = ledger.step_by_condition.at(Condition::hot).s;
  const double cold_s = ledger.step_by_condition.at(Condition::cold).s;
  const double alone_s = prep_alone_s(profile, hot_s);
  const CachedShare share =
      cached_share(static_cast<double>(*profile.cache_bytes) / static_cast<double>(*profile.dataset_bytes));
  const double cached = (share.low_ratio + share.high_ratio) / 2;
  const double s = added_s(alone_s, 1 - cached, hot_s, cold_s);
  const double low_s = added_s(0, 1 - share.high_ratio, hot_s, hot_s + std::max(0.0, fetch->low_s));
  const double high_s = (1 - share.low_ratio) * std::max(0.0, fetch->high_s);
  return SteadyFetch{.fetch = {s, std::min(low_s, s), std::max(high_s, s)}, .cached_ratio = cached};
}

double steady_step_s(const Ledger& ledger) {
  const std::optional<Estimate>& fetch = ledger[Part::fetch];
  if (!fetch || !ledger.steady_fetch) return ledger.step.s;
  return ledger.step.s - fetch->s + ledger.steady_fetch->fetch.s;
}

}  // namespace stash
