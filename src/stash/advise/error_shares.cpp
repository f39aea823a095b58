#include "stash/advise/error_shares.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace stash {

namespace {

// Nothing measured tells what is wrong with all links of a kind from what is wrong with one machine's: half each.
constexpr double kSharedByKind = 0.5;

double squared_width(const Ledger& ledger, std::initializer_list<Part> parts) {
  double sum = 0;
  for (const Part part : parts) {
    const auto& time = ledger[part];
    const double width = time ? time->high_s - time->low_s : 0;
    if (std::isfinite(width)) sum += width * width;
  }
  return sum;
}

// Of the step's variance. Where nothing is known of compute, it is taken for all of it.
double compute_share(const Ledger& ledger) {
  const double whole_s = ledger.step.high_s - ledger.step.low_s;
  if (!ledger[Part::compute] || !(whole_s > 0)) return 1;
  const double share = squared_width(ledger, {Part::compute}) / (whole_s * whole_s);
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 1;
}

}  // namespace

ErrorShares error_shares(const Prediction& prediction) {
  const Ledger& ledger = prediction.ledger;
  const double compute = compute_share(ledger);
  const double job = std::clamp(prediction.job_error_ratio, 0.0, 1.0);
  ErrorShares shares{.job = compute * job, .gpu = compute * (1 - job)};
  const double links = squared_width(ledger, {Part::interconnect});
  const double network = squared_width(ledger, {Part::network});
  const double input = squared_width(ledger, {Part::copy, Part::prep, Part::fetch});
  const double sum = links + network + input;
  if (sum > 0) {
    const double scale = (1 - compute) * kSharedByKind / sum;
    shares.links = links * scale;
    shares.network = network * scale;
    shares.input = input * scale;
  }
  shares.own = std::max(0.0, 1 - compute - shares.links - shares.network - shares.input);
  return shares;
}

}  // namespace stash
