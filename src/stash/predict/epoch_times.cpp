#include "stash/predict/epoch_times.h"

#include <cmath>

#include "stash/attribute/steady_fetch.h"
#include "stash/core/units.h"
#include "stash/predict/saving.h"

namespace stash {

void add_epochs(Prediction& prediction, std::optional<double> samples) {
  if (!samples) return;
  const double steps = std::ceil(*samples / samples_per_step(prediction));
  prediction.first_epoch_s = steps * prediction.ledger.step.s;
  prediction.epoch_s = steps * steady_step_s(prediction.ledger);
  if (prediction.usd_per_h) prediction.epoch_usd = *prediction.epoch_s / kSecondsPerHour * *prediction.usd_per_h;
}

}  // namespace stash
