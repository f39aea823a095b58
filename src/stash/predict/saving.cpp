#include "stash/predict/saving.h"

#include "stash/attribute/steady_fetch.h"

namespace stash {

double samples_per_step(const Prediction& prediction) {
  return static_cast<double>(prediction.batch) * prediction.accumulation * data_ranks(prediction);
}

Saving saving_of(const Prediction& before, const Prediction& after) {
  const double samples_ratio = samples_per_step(after) / samples_per_step(before);
  Saving saving{.step_s = steady_step_s(before.ledger) * samples_ratio - steady_step_s(after.ledger),
                .samples_ratio = samples_ratio,
                .epoch_s = {},
                .epoch_usd = {}};
  if (before.epoch_s && after.epoch_s) saving.epoch_s = *before.epoch_s - *after.epoch_s;
  if (before.epoch_usd && after.epoch_usd) saving.epoch_usd = *before.epoch_usd - *after.epoch_usd;
  return saving;
}

}  // namespace stash
