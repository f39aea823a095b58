#pragma once

#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// How much of the step the present parts explain: 1 unless the chain began after `solo`. nullopt for a step of 0.
std::optional<double> explained_ratio(const Ledger& ledger);

// One sentence, without a full stop: why `part`, which the ledger does not have, is absent.
std::string why_absent(Part part, const Profile& profile);

// What a reader of the ledger must know: parts that took over those of conditions left out, a base that is not
// `solo`, too few rounds, rounds left out, a precision that was not met, samples skipped, cold pages that were not.
std::vector<std::string> ledger_warnings(const Profile& profile, const Ledger& ledger);

}  // namespace stash
