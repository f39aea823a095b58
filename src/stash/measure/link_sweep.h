#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "stash/core/link_time.h"
#include "stash/measure/switch/switch_backend.h"
#include "stash/measure/team.h"
#include "stash/ruler/control.h"

namespace stash {

// How far a sweep goes.
struct SweepLimits {
  std::int64_t most_bytes = 256ll << 20;
  std::int64_t step_factor = 4;  // from one size to the next
  double call_s = 1;             // sizes stop growing where one call takes longer
  int repeats = 5;
};

// Times collectives of growing size inside every node and across all, and exchanges between neighbouring nodes. What
// they compute is verified; Error where it is wrong. All ranks call it together and get the same rows.
std::vector<LinkTime> sweep_links(SwitchBackend& backend, Control& control, const Team& team, c10::Device device,
                                  const SweepLimits& limits, const std::function<void(std::string_view)>& on_phase);

}  // namespace stash
