#include "stash/ruler/agreement.h"

#include <fmt/format.h>

#include <cmath>

#include "stash/core/error.h"

namespace stash {

// Gradients of ranks with different weights must not be summed: the loss would drift and the job be another one.
void check_weights(Control& control, const Workload& workload, Condition condition) {
  const std::optional<double> sum = workload.weight_sum();
  if (!sum) return;
  const double own = *sum;
  for (const auto& rank : control.gather({&own, 1})) {
    if (rank[0] != own) throw Error(fmt::format("the ranks' weights differ before condition {}", to_string(condition)));
  }
}

void check_loss(Control& control, const Workload& workload) {
  const double own = workload.loss().value_or(0);
  const auto all = control.gather({&own, 1});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (std::isfinite(all[rank][0])) continue;
    throw Error(
        fmt::format("the loss of rank {} is not finite: the job has diverged and its times mean nothing; "
                    "try another --seed, or --dtype fp32 if it trains in half precision",
                    rank));
  }
}

}  // namespace stash
