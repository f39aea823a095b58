#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

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

// All switches together in their better positions, against these.
void contrast_all(PlanMaker& maker, const ServeSettings& base, std::string name, InputWay input, LaunchWay launch,
                  bool has_gpu) {
  BenchCondition better{base}, plain{base};
  better.settings.input = InputWay::direct;
  better.settings.completion = CompletionWay::event;
  better.settings.batching = BatchingWay::objective;
  plain.settings.input = input;
  plain.settings.completion = CompletionWay::blocking;
  plain.settings.batching = BatchingWay::fixed;
  if (has_gpu) {
    better.settings.launch = LaunchWay::graphs;
    plain.settings.launch = launch;
  }
  const auto text = [&](const ServeSettings& settings) {
    std::string words = fmt::format("{}, {}, {}", kInputWays[static_cast<std::size_t>(settings.input)],
                                    kCompletionWays[static_cast<std::size_t>(settings.completion)],
                                    kBatchingWays[static_cast<std::size_t>(settings.batching)]);
    if (has_gpu) words += fmt::format(", {}", kLaunchWays[static_cast<std::size_t>(settings.launch)]);
    return words;
  };
  maker.add({.name = std::move(name), .setting = text(better.settings), .against = text(plain.settings)}, better,
            plain);
}

}  // namespace

BenchPlan plan_bench(const ServeSettings& base, const BenchSwitches& switches, double window_s, int rounds,
                     std::uint64_t seed) {
  PlanMaker maker(base);
  for (std::size_t way = 1; way < (switches.gpu ? kInputWays.size() : 2); ++way) {
    maker.contrast("input", kInputWays, way,
                   [](ServeSettings& settings, std::size_t chosen) { settings.input = static_cast<InputWay>(chosen); });
  }
  for (std::size_t way = 1; way < kCompletionWays.size(); ++way) {
    maker.contrast("completion", kCompletionWays, way, [](ServeSettings& settings, std::size_t chosen) {
      settings.completion = static_cast<CompletionWay>(chosen);
    });
  }
  maker.contrast("batching", kBatchingWays, 1,
                 [](ServeSettings& settings, std::size_t way) { settings.batching = static_cast<BatchingWay>(way); });
  if (switches.gpu) {
    maker.contrast("launch", kLaunchWays, 1,
                   [](ServeSettings& settings, std::size_t way) { settings.launch = static_cast<LaunchWay>(way); });
  }
  if (switches.reload) {
    BenchCondition swap{base, true}, stop{base, true};
    swap.settings.reload = ReloadWay::swap;
    stop.settings.reload = ReloadWay::stop;
    maker.add({.name = "reload", .setting = std::string(kReloadWays[0]), .against = std::string(kReloadWays[1])}, swap,
              stop);
  }
  contrast_all(maker, base, "all", switches.gpu ? InputWay::pageable : InputWay::gather, LaunchWay::eager,
               switches.gpu);
  // What careful programs do already: pinned memory, asynchronous copies, graphs.
  if (switches.gpu) contrast_all(maker, base, "all, of good practice", InputWay::gather, LaunchWay::graphs, true);
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
