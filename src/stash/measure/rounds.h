#pragma once

#include <functional>

#include "stash/measure/control.h"
#include "stash/measure/events.h"
#include "stash/measure/ruler.h"

namespace stash {

// Rounds until every interval is narrow enough, another round would not fit in the time, or some rank's `stop` is
// true. Rank 0 reports each window as it is complete. `started_ns`: when the time began to count.
StoppedBy run_rounds(Ruler& ruler, Control& control, const Job& job, std::int64_t started_ns, const Events& events,
                     const std::function<bool()>& stop);

}  // namespace stash
