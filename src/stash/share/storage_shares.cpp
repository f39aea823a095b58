#include "stash/share/storage_shares.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stash {

void share_storage(std::span<const SupplyCurve> curves, const Resources& resources, Allocation& allocation) {
  std::vector<std::size_t> by_demand;
  std::vector<double> demands;
  for (std::size_t j = 0; j < curves.size(); ++j) {
    demands.push_back(storage_demand_bytes_per_s(curves[j], allocation.jobs[j].workers));
    allocation.jobs[j].storage_bytes_per_s = kAllStorage;
    if (demands[j] > 0) by_demand.push_back(j);
  }
  if (std::isinf(resources.storage_bytes_per_s)) return;
  std::ranges::sort(by_demand, {}, [&](std::size_t j) { return demands[j]; });
  double left = resources.storage_bytes_per_s;
  for (std::size_t i = 0; i < by_demand.size(); ++i) {
    const double fair = left / static_cast<double>(by_demand.size() - i);
    const double given = std::min(fair, demands[by_demand[i]]);
    allocation.jobs[by_demand[i]].storage_bytes_per_s = given;
    left -= given;
  }
}

}  // namespace stash
