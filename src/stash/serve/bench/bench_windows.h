#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/bench/serve_bench.h"
#include "stash/serve/load/run_load.h"
#include "stash/serve/server/model_server.h"

namespace stash {

// A condition of the bench: the switches, and whether the model is loaded again when a window begins.
struct BenchCondition {
  ServeSettings settings;
  bool reloads = false;
  bool operator==(const BenchCondition&) const = default;
};

// What a switch does: the difference between two conditions.
struct BenchContrast {
  std::string name, setting, against;
  std::size_t better = 0, plain = 0;  // places in BenchPlan::conditions
};

struct BenchPlan {
  std::vector<BenchCondition> conditions;  // the first one is what the ledger is of
  std::vector<BenchContrast> contrasts;
  std::vector<std::size_t> windows;  // the condition of each: rounds, each with every condition once
  double window_s = 0;
  int rounds() const { return static_cast<int>(windows.size() / conditions.size()); }
};

// Which switches make a difference.
struct BenchSwitches {
  bool reload = false;  // a model is loaded within a window
  bool gpu = false;     // memory can be pinned, and launches recorded
};

// Every switch of `base` against its plain counterparts, and all of them together; rounds in an order from the seed.
BenchPlan plan_bench(const ServeSettings& base, const BenchSwitches& switches, double window_s, int rounds,
                     std::uint64_t seed);

// Windows to ledger. `served` is what the server says of the requests that it answered.
ServeBench summarize_bench(const BenchPlan& plan, const LoadRun& run, std::span<const ServedRequest> served);

}  // namespace stash
