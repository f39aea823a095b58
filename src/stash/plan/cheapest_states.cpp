#include "stash/plan/cheapest_states.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kMostEntries = std::size_t{1} << 24;  // of a table: 128 MiB

// Costs by the states of the nodes of `scope`, the last of which changes fastest.
struct Factor {
  std::vector<int> scope;
  std::vector<double> cost;
};

// How a node was taken out: its best state for every combination of its neighbours' states.
struct Eliminated {
  int node = 0;
  std::vector<int> neighbours;
  std::vector<int> best;
};

class Elimination {
 public:
  Elimination(std::span<const std::vector<double>> own, std::span<const PairCost> pairs) : own_(own) {
    neighbours_.resize(own.size());
    factors_of_.resize(own.size());
    for (const PairCost& pair : pairs) add_factor({{pair.first, pair.second}, pair.cost});
    present_.assign(own.size(), true);
  }

  CheapestStates solve() {
    for (std::size_t i = 0; i < own_.size(); ++i) eliminate(next_node());
    CheapestStates result{std::vector<int>(own_.size(), 0), constant_};
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      std::size_t index = 0;
      for (int n : step->neighbours) index = index * states(n) + static_cast<std::size_t>(result.state[at(n)]);
      result.state[at(step->node)] = step->best[index];
    }
    return result;
  }

 private:
  static std::size_t at(int node) { return static_cast<std::size_t>(node); }
  std::size_t states(int node) const { return own_[at(node)].size(); }

  void connect(int a, int b) {
    std::vector<int>& others = neighbours_[at(a)];
    const auto place = std::ranges::lower_bound(others, b);
    if (a != b && (place == others.end() || *place != b)) others.insert(place, b);
  }

  void add_factor(Factor factor) {
    const int number = static_cast<int>(factors_.size());
    for (int node : factor.scope) {
      factors_of_[at(node)].push_back(number);
      for (int other : factor.scope) connect(node, other);
    }
    factors_.push_back(std::move(factor));
  }

  int next_node() const {
    int best = -1;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < own_.size() && fewest > 1; ++i) {
      if (present_[i] && neighbours_[i].size() < fewest) fewest = neighbours_[i].size(), best = static_cast<int>(i);
    }
    return best;
  }

  // The factors with `node` in them, which are no longer there afterwards.
  std::vector<Factor> take_factors(int node) {
    std::vector<Factor> taken;
    for (int number : factors_of_[at(node)]) {
      Factor& factor = factors_[at(number)];
      if (!factor.scope.empty()) taken.push_back(std::exchange(factor, {}));
    }
    return taken;
  }

  // How far a factor's table advances with the state of each of `nodes`.
  std::vector<std::size_t> strides(const Factor& factor, std::span<const int> nodes) const {
    std::vector<std::size_t> result(nodes.size(), 0);
    std::size_t stride = 1;
    for (std::size_t i = factor.scope.size(); i-- > 0;) {
      const auto found = std::ranges::find(nodes, factor.scope[i]);
      if (found != nodes.end()) result[static_cast<std::size_t>(found - nodes.begin())] = stride;
      stride *= states(factor.scope[i]);
    }
    return result;
  }

  void eliminate(int node) {
    Eliminated step{.node = node, .neighbours = neighbours_[at(node)], .best = {}};
    const std::vector<Factor> taken = take_factors(node);
    std::size_t entries = 1;
    for (int n : step.neighbours) entries *= states(n);
    if (entries * states(node) > kMostEntries) throw Error("the network branches too much for an exact plan");
    std::vector<int> nodes = step.neighbours;
    nodes.push_back(node);
    std::vector<std::vector<std::size_t>> steps;
    for (const Factor& factor : taken) steps.push_back(strides(factor, nodes));
    Factor rest{step.neighbours, std::vector<double>(entries)};
    step.best.resize(entries);
    std::vector<std::size_t> state(step.neighbours.size(), 0);
    std::vector<std::size_t> base(taken.size(), 0);
    for (std::size_t entry = 0; entry < entries; ++entry) {
      rest.cost[entry] = cheapest_of(node, taken, steps, base, step.best[entry]);
      advance(step.neighbours, steps, state, base);
    }
    for (int other : step.neighbours) std::erase(neighbours_[at(other)], node);
    if (step.neighbours.empty()) {
      constant_ += rest.cost[0];
    } else {
      add_factor(std::move(rest));
    }
    present_[at(node)] = false;
    steps_.push_back(std::move(step));
  }

  double cheapest_of(int node, std::span<const Factor> factors, std::span<const std::vector<std::size_t>> steps,
                     std::span<const std::size_t> base, int& best) const {
    double least = std::numeric_limits<double>::infinity();
    const std::vector<double>& own = own_[at(node)];
    best = 0;
    for (std::size_t s = 0; s < own.size(); ++s) {
      double cost = own[s];
      for (std::size_t f = 0; f < factors.size(); ++f) cost += factors[f].cost[base[f] + s * steps[f].back()];
      if (cost < least) least = cost, best = static_cast<int>(s);
    }
    return least;
  }

  // To the next combination of the neighbours' states.
  void advance(std::span<const int> neighbours, std::span<const std::vector<std::size_t>> steps,
               std::vector<std::size_t>& state, std::vector<std::size_t>& base) const {
    for (std::size_t i = neighbours.size(); i-- > 0;) {
      const bool wraps = ++state[i] == states(neighbours[i]);
      for (std::size_t f = 0; f < base.size(); ++f) {
        base[f] = wraps ? base[f] - (state[i] - 1) * steps[f][i] : base[f] + steps[f][i];
      }
      if (!wraps) return;
      state[i] = 0;
    }
  }

  std::span<const std::vector<double>> own_;
  std::vector<Factor> factors_;               // without a scope: used
  std::vector<std::vector<int>> factors_of_;  // by node
  std::vector<std::vector<int>> neighbours_;  // by node, in order
  std::vector<bool> present_;
  std::vector<Eliminated> steps_;
  double constant_ = 0;
};

}  // namespace

CheapestStates cheapest_states(std::span<const std::vector<double>> own, std::span<const PairCost> pairs) {
  return Elimination(own, pairs).solve();
}

}  // namespace stash
