#pragma once

#include <vector>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// What a step gains by a variant's change, against the plain condition in the same rounds: above 0 the step is shorter.
struct VariantSaving {
  Variant variant;
  Estimate saved;
  int rounds = 0;  // that it rests on
};

// In the order of variants, those with at least kFewestRounds rounds. No round counts that was hit from outside, as in
// the ledger; docs/metrics.md.
std::vector<VariantSaving> variant_savings(const Profile& profile);

// Every variant was visited often enough, and its interval is narrow enough for a measurement that asks for this
// precision of a ledger whose step is `step_s`.
bool variants_precise(const std::vector<VariantSaving>& savings, std::size_t variants, double precision_ratio,
                      double step_s);

}  // namespace stash
