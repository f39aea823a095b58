#include <algorithm>
#include <numeric>
#include <random>

#include "stash/serve/bench/bench_windows.h"

namespace stash {
namespace {

class PlanMaker {
 public:
  explicit PlanMaker(const ServeSettings& base) : base_(base) { plan_.conditions.push_back({base}); }

  template <class Change, class Names>
  void contrast(std::string name, const Names& names, std::size_t against, const Change& change) {
    BenchCondition better{base_}, plain{base_};
    change(better.settings, 0);
    change(plain.settings, against);
    add({.name = std::move(name), .setting = std::string(names[0]), .against = std::string(names[against])}, better,
        plain);
  }

  void add(BenchContrast contrast, const BenchCondition& better, const BenchCondition& plain) {
    contrast.better = place_of(better);
    contrast.plain = place_of(plain);
    plan_.contrasts.push_back(std::move(contrast));
  }

  BenchPlan take() { return std::move(plan_); }

 private:
  std::size_t place_of(const BenchCondition& condition) {
    const auto found = std::ranges::find(plan_.conditions, condition);
    const auto place = static_cast<std::size_t>(found - plan_.conditions.begin());
    if (found == plan_.conditions.end()) plan_.conditions.push_back(condition);
    return place;
  }

  const ServeSettings& base_;
  BenchPlan plan_;
};

void use_plain_ways(ServeSettings& settings) {
  settings.input = InputWay::gather;
  settings.completion = CompletionWay::blocking;
  settings.batching = BatchingWay::fixed;
}

void use_better_ways(ServeSettings& settings) {
  settings.input = InputWay::direct;
  settings.completion = CompletionWay::event;
  settings.batching = BatchingWay::objective;
}

}  // namespace

BenchPlan plan_bench(const ServeSettings& base, bool can_reload, double window_s, int rounds, std::uint64_t seed) {
  PlanMaker maker(base);
  maker.contrast("input", kInputWays, 1,
                 [](ServeSettings& settings, std::size_t way) { settings.input = static_cast<InputWay>(way); });
  for (std::size_t way = 1; way < kCompletionWays.size(); ++way) {
    maker.contrast("completion", kCompletionWays, way, [](ServeSettings& settings, std::size_t chosen) {
      settings.completion = static_cast<CompletionWay>(chosen);
    });
  }
  maker.contrast("batching", kBatchingWays, 1,
                 [](ServeSettings& settings, std::size_t way) { settings.batching = static_cast<BatchingWay>(way); });
  if (can_reload) {
    BenchCondition swap{base, true}, stop{base, true};
    swap.settings.reload = ReloadWay::swap;
    stop.settings.reload = ReloadWay::stop;
    maker.add({.name = "reload", .setting = std::string(kReloadWays[0]), .against = std::string(kReloadWays[1])}, swap,
              stop);
  }
  BenchCondition better{base}, plain{base};
  use_better_ways(better.settings);
  use_plain_ways(plain.settings);
  maker.add({.name = "all", .setting = "direct, event, objective", .against = "gather, blocking, fixed"}, better,
            plain);
  BenchPlan plan = maker.take();
  plan.window_s = window_s;
  std::vector<std::size_t> round(plan.conditions.size());
  std::iota(round.begin(), round.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (int i = 0; i < rounds; ++i) {
    std::ranges::shuffle(round, random);
    plan.windows.insert(plan.windows.end(), round.begin(), round.end());
  }
  return plan;
}

}  // namespace stash
