#include "stash/fleet/traffic/request_work.h"

namespace stash {

std::vector<float> request_work(const LoadTrace& trace) {
  if (!trace.has_sizes) return {};
  std::vector<float> work;
  work.reserve(trace.timed.size());
  double sum = 0;
  for (const TimedRequest& request : trace.timed) {
    const double own = kInTokenWork * static_cast<double>(request.in) + static_cast<double>(request.out);
    work.push_back(static_cast<float>(own));
    sum += own;
  }
  if (sum <= 0) return {};
  const auto scale = static_cast<float>(static_cast<double>(work.size()) / sum);
  for (float& one : work) one *= scale;
  return work;
}

}  // namespace stash
