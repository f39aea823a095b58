#pragma once

#include "stash/measure/events.h"
#include "stash/measure/rank.h"

namespace stash {

// Ranks that train nothing: they time the links between them.
void inspect_links(const RankSetup& setup, const Events& events);

// They meet, and say what they are.
void inspect_ranks(const RankSetup& setup, const Events& events);

}  // namespace stash
