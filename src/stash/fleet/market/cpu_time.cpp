#include "stash/fleet/market/cpu_time.h"

namespace stash {
namespace {

// Fitted to data/mark_capacities.csv: 60 / (requests per minute) = a + b / cores, with 11.4 and 47.6 Gop per request;
// b is 0.178 and 1.05 s, a is 0.033 and 0.18 s.
constexpr double kOpsPerCoreS = 53e9;
constexpr double kSerialRatio = 0.18;  // of a pass on one core

}  // namespace

double cpu_forward_s(double forward_ops, double cores) {
  return forward_ops / kOpsPerCoreS * (1 / cores + kSerialRatio);
}

}  // namespace stash
