#pragma once

#include <string>
#include <vector>

#include "stash/core/fix.h"
#include "stash/core/job.h"
#include "stash/core/variant.h"

namespace stash {

// A fix that a job could be measured with, or why it cannot be.
struct FixOffer {
  Fix fix;
  std::string why_not = {};  // empty: it can
};

// What a built-in job can switch within a launch. `gradient_bytes`: of all of its gradients.
std::vector<FixOffer> offered_fixes(const Job& job, std::int64_t gradient_bytes);
// The most that such a job then starts with.
int most_workers_tried(const Job& job);
int most_prefetch_tried(const Job& job);

struct FixVariants {
  std::vector<Variant> variants;
  std::vector<TriedFix> tried;
};

// Beside which of `conditions` each is measured: the last one without cold pages, and for workers a cold one too. What
// none of them shows is left out.
FixVariants choose_fix_variants(const std::vector<FixOffer>& offers, const std::vector<Condition>& conditions);

}  // namespace stash
