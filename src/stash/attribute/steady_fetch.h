#pragma once

#include <optional>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// Share of the reads of a shuffled epoch that the page cache answers when it holds `held_ratio` of the data set.
struct CachedShare {
  double low_ratio = 0;   // pages leave in the order of their last use
  double high_ratio = 0;  // the cached ones stay
};
CachedShare cached_share(double held_ratio);

// From the ledger's `hot` and `cold` steps and the sizes in the profile; nullopt where one of them is missing.
std::optional<SteadyFetch> predict_steady_fetch(const Profile& profile, const Ledger& ledger);

// A step after the first epoch, where that is known; else the step.
double steady_step_s(const Ledger& ledger);

}  // namespace stash
