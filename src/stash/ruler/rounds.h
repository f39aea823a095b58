#pragma once

#include <cstdint>
#include <functional>

#include "stash/ruler/ruler.h"

namespace stash {

// Rounds until every interval is narrow enough, another round would not fit in the time, or some rank's `stop` is
// true. `ruler` is made of `parts` and has run its pilot. `started_ns`: when the time began to count.
StoppedBy run_rounds(Ruler& ruler, const RulerParts& parts, std::int64_t started_ns, const std::function<bool()>& stop);

}  // namespace stash
