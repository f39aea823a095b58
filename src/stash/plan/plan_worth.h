#pragma once

#include <string>

namespace stash {

// What one more unit of something saves of the best plan's step; below 0: it costs.
struct PlanWorth {
  std::string resource{};
  std::string more{};
  double saved_s = 0;
};

}  // namespace stash
