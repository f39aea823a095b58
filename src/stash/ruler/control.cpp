#include "stash/ruler/control.h"

#include <algorithm>

namespace stash {

double Control::from_rank_0(double value) { return gather({&value, 1})[0][0]; }

double Control::largest(double value) {
  for (const auto& rank : gather({&value, 1})) value = std::max(value, rank[0]);
  return value;
}

bool Control::any(bool value) { return largest(value ? 1 : 0) != 0; }

}  // namespace stash
