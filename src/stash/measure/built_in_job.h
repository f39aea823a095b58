#pragma once

#include "stash/measure/events.h"
#include "stash/measure/rank.h"

namespace stash {

// A rank of a job with a built-in model: its network, input and switch, and what the ruler finds with them.
void profile_built_in_job(const RankSetup& setup, const Events& events);

// The same job without the ruler: as many samples as the order has, with as many workers as a pool gives it.
void train_built_in_job(const RankSetup& setup, const Events& events);

}  // namespace stash
