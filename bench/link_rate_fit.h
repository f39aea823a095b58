#pragma once

#include <string>
#include <vector>

#include "link_row.h"
#include "scaling_row.h"
#include "stash/predict/predict.h"

namespace stash::bench {

// A row with all that its prediction needs besides the rates of its links.
struct ScalingCase {
  ScalingRow row;
  StepJob step;
  double alone_s = 0;  // of the step on one GPU
  Uncertainty uncertainty;

  double efficiency(const LinkRateLookup& rates) const;
  Estimate interval(const LinkRateLookup& rates) const;  // of the efficiency
};

// nullopt where the program cannot predict it; `why` says so.
std::optional<ScalingCase> make_case(const ScalingRow& row, std::string& why);

double all_reduce_s(const LinkRow& row, const LinkRateLookup& rates);

// Rates by transport, fitted to the cases and rows; machines have none of their own.
std::vector<LinkRateRow> fit_link_rates(const std::vector<const ScalingCase*>& cases,
                                        const std::vector<const LinkRow*>& links);

// The reached ratio of each machine and transport with enough rows, drawn to the transport's; and each transport's
// spread over its machines.
std::vector<LinkRateRow> with_machines(std::vector<LinkRateRow> rates, const std::vector<const ScalingCase*>& cases,
                                       const std::vector<const LinkRow*>& links);

LinkRateLookup lookup_in(const std::vector<LinkRateRow>& rates);

}  // namespace stash::bench
