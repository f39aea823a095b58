#pragma once

#include <functional>

#include "stash/ruler/ruler.h"

namespace stash {

// Rounds until every interval is narrow enough, another round would not fit in the time, or some rank's `stop` is
// true. `ruler` is made of `parts` and has run its pilot, from whose end the time counts.
StoppedBy run_rounds(Ruler& ruler, const RulerParts& parts, const std::function<bool()>& stop);

}  // namespace stash
