#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/error.h"
#include "stash/plan/cheapest_states.h"
#include "stash/plan/level.h"

namespace stash {
namespace {

// Candidates of a free ratio: first over all of its range, then around the best, half as far apart each time.
constexpr int kFirstCandidates = 9;
constexpr int kNearCandidates = 3;
constexpr double kFinest = 1.0 / 256;
constexpr PartitionType kTypes[] = {PartitionType::batch, PartitionType::input, PartitionType::output};

using Candidates = std::vector<std::vector<LayerSplit>>;  // by layer

class LevelSearch {
 public:
  explicit LevelSearch(const LevelQuestion& question) : question_(question) {}

  std::vector<LayerSplit> search() const {
    const double smallest = question_.rules.smallest_ratio;
    const bool free = question_.level.ratio_is_free && !question_.rules.equal_halves;
    if (!free) return best_of(candidates({}, {question_.level.groups.front().ratio}));
    std::vector<double> ratios;
    double step = (1 - 2 * smallest) / (kFirstCandidates - 1);
    for (int i = 0; i < kFirstCandidates; ++i) ratios.push_back(smallest + i * step);
    // The whole network at one ratio first: neighbours with different ratios exchange more, which would hold each of
    // them where it is.
    std::vector<LayerSplit> best = best_at_one_ratio(ratios);
    if (question_.rules.one_ratio) return best;
    for (; step > kFinest; step /= 2) {
      std::vector<LayerSplit> near = best_of(candidates(best, offsets(step)));
      if (cost_of(question_, near) <= cost_of(question_, best)) best = std::move(near);
    }
    return best;
  }

 private:
  static std::vector<double> offsets(double step) {
    std::vector<double> result;
    constexpr int kMiddle = kNearCandidates / 2;
    for (int i = 0; i < kNearCandidates; ++i) result.push_back((i - kMiddle) * step);
    return result;
  }

  std::vector<LayerSplit> best_at_one_ratio(const std::vector<double>& ratios) const {
    std::vector<LayerSplit> best;
    double least = 0;
    const auto consider = [&](double ratio) {
      std::vector<LayerSplit> found = best_of(candidates({}, {ratio}));
      const double cost = cost_of(question_, found);
      if (!best.empty() && cost >= least) return false;
      best = std::move(found), least = cost;
      return true;
    };
    double at = ratios.front();
    for (double ratio : ratios) at = consider(ratio) ? ratio : at;
    const double smallest = question_.rules.smallest_ratio;
    for (double step = (ratios[1] - ratios[0]) / 2; step > kFinest; step /= 2) {
      for (double near : {at - step, at + step}) {
        if (near >= smallest && near <= 1 - smallest && consider(near)) {
          at = near;
          break;
        }
      }
    }
    return best;
  }

  // Every allowed type at every ratio; with `around`, ratios are offsets from what the layer has there.
  Candidates candidates(std::span<const LayerSplit> around, const std::vector<double>& ratios) const {
    Candidates all(question_.network.layers.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      add_candidates(all[i], static_cast<int>(i), around.empty() ? nullptr : &around[i], ratios, true);
      // Baselines allow a type or two: where these have nothing left to split, another has to do.
      if (all[i].empty()) {
        add_candidates(all[i], static_cast<int>(i), around.empty() ? nullptr : &around[i], ratios, false);
      }
      if (all[i].empty()) throw_too_small(question_.network.layers[i]);
    }
    return all;
  }

  void add_candidates(std::vector<LayerSplit>& to, int layer, const LayerSplit* around,
                      const std::vector<double>& ratios, bool only_allowed) const {
    const double smallest = question_.rules.smallest_ratio;
    for (PartitionType type : kTypes) {
      if (!may_be(layer, type, only_allowed)) continue;
      for (double ratio : ratios) {
        if (around != nullptr) ratio = std::clamp(around->ratio + ratio, smallest, 1 - smallest);
        const std::optional<double> whole = whole_ratio(question_, layer, type, ratio);
        if (!whole) continue;
        const LayerSplit split{type, *whole};
        if (std::ranges::find(to, split) == to.end()) to.push_back(split);
      }
    }
  }

  bool may_be(int layer, PartitionType type, bool only_allowed) const {
    const SplitLayer& split = question_.network.layers[static_cast<std::size_t>(layer)];
    if (split.batch_only && type != PartitionType::batch) return false;
    return !only_allowed || question_.allowed.empty() ||
           (question_.allowed[static_cast<std::size_t>(layer)] & bit_of(type)) != 0;
  }

  [[noreturn]] void throw_too_small(const SplitLayer& layer) const {
    throw UsageError(fmt::format(
        "layer {} cannot be split at level \"{}\": it has fewer than two samples or channels left for the two halves; "
        "give a larger --batch or fewer devices",
        layer.name, question_.level.name));
  }

  std::vector<LayerSplit> best_of(const Candidates& all) const {
    std::vector<std::vector<double>> own(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const LayerSplit& split : all[i]) own[i].push_back(own_cost(question_, static_cast<int>(i), split));
    }
    std::vector<PairCost> pairs;
    for (const SplitEdge& edge : question_.network.edges) {
      PairCost& pair = pairs.emplace_back(PairCost{edge.from, edge.to, {}});
      for (const LayerSplit& from : all[static_cast<std::size_t>(edge.from)]) {
        for (const LayerSplit& to : all[static_cast<std::size_t>(edge.to)]) {
          pair.cost.push_back(pair_cost(question_, edge, from, to, true));
        }
      }
    }
    const CheapestStates found = cheapest_states(own, pairs);
    std::vector<LayerSplit> best;
    for (std::size_t i = 0; i < all.size(); ++i) best.push_back(all[i][static_cast<std::size_t>(found.state[i])]);
    return best;
  }

  const LevelQuestion& question_;
};

}  // namespace

std::vector<LayerSplit> cheapest_splits(const LevelQuestion& question) { return LevelSearch(question).search(); }

}  // namespace stash
