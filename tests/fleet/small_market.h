#pragma once

#include "stash/fleet/market/market.h"

namespace stash {

// A GPU that takes 4 ms for one request and 1 ms for each further one, and a CPU machine that takes 50 ms for each.
inline Market small_market() {
  const StartTime start{.machine = {25, 30}, .image = {60, 90}, .weights = {5, 10}, .warmup = {0, 0}};
  const MachineType gpu{.name = "gpu",
                        .usd_per_hour = 0.9,
                        .spot_usd_per_hour = {},
                        .start = start,
                        .times = BatchTimes({{1, 0.004}, {32, 0.035}})};
  MachineType cpu{.name = "cpu", .usd_per_hour = 0.05, .start = start, .times = BatchTimes({{1, 0.05}, {2, 0.1}})};
  cpu.has_gpu = false;
  return {.model = "small",
          .machines = {gpu, cpu},
          .functions = {{.name = "function",
                         .usd_per_s = 5e-5,
                         .usd_per_request = 2e-7,
                         .work_s = 0.06,
                         .cold_start = {2, 4},
                         .source = "made up"}}};
}

}  // namespace stash
