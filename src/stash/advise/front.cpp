#include "stash/advise/front.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stash {

std::vector<bool> pareto_front(std::span<const RankedCandidate> candidates) {
  const auto point = [&](std::size_t i) { return std::pair(candidates[i].time_s, candidates[i].cost_usd.value_or(0)); };
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, point);
  std::vector<bool> front(candidates.size(), false);
  const std::size_t* last = nullptr;  // of the front so far: the slowest and cheapest
  for (const std::size_t& i : order) {
    if (last != nullptr && point(i) != point(*last) && point(i).second >= point(*last).second) continue;
    front[i] = true;
    last = &i;
  }
  return front;
}

}  // namespace stash
