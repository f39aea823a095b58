#include "stash/attribute/round_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "stash/core/statistics.h"

namespace stash {

namespace {

// So many median absolute deviations (scaled to a standard deviation) no ordinary round is away. Simulated:
// at 10 and with the two bounds below, intervals keep their coverage for normal and skewed noise, and one hit in
// fifty windows costs 1 round instead of 20.
constexpr double kExtremeDeviations = 10;
constexpr double kMadToDeviation = 1.4826;
// A deviation below this share of the step changes no conclusion.
constexpr double kSmallRatio = 0.01;
constexpr std::size_t kKeptRounds = 5;  // fewer say nothing about what is ordinary
constexpr std::size_t kMostOneIn = 4;   // what happens more often than in a quarter of the rounds belongs to the job

std::vector<Condition> measured_chain(const Profile& profile) {
  std::vector<Condition> chain;
  for (const Condition condition : kConditions) {
    const auto measured = [&](const Window& w) { return w.condition == condition && has_sample(w); };
    if (std::any_of(profile.windows.begin(), profile.windows.end(), measured)) chain.push_back(condition);
  }
  return chain;
}

double edge_per_step_s(const RoundTable& table, std::size_t place, double edge_s) {
  double sum = 0;
  for (const auto& round : table.rounds) sum += edge_s / round[place]->steps;
  return sum / static_cast<double>(table.rounds.size());
}

// Of one value for each round, those that nothing from outside hit.
std::vector<bool> undisturbed(const std::vector<double>& values, double step_s) {
  if (values.size() <= kKeptRounds) return std::vector<bool>(values.size(), true);
  const double center = median(values);
  std::vector<double> distances(values.size());
  std::transform(values.begin(), values.end(), distances.begin(), [&](double v) { return std::abs(v - center); });
  const double limit = std::max(kExtremeDeviations * kMadToDeviation * median(distances), kSmallRatio * step_s);
  const std::size_t most = std::min(values.size() - kKeptRounds, values.size() / kMostOneIn);
  std::vector<double> sorted = distances;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(most), sorted.end(), std::greater<>());
  const double kept_distance = std::max(limit, sorted[most]);  // no more than `most` are farther away
  std::vector<bool> kept(values.size());
  std::transform(distances.begin(), distances.end(), kept.begin(), [&](double d) { return d <= kept_distance; });
  return kept;
}

std::vector<double> only(const std::vector<double>& values, const std::vector<bool>& kept) {
  std::vector<double> some;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kept[i]) some.push_back(values[i]);
  }
  return some;
}

// What each round says of a part: its distance from the mean of those that are kept, or nothing where it is not. Two
// parts may leave out different rounds, and what that adds to the error of their sum shows in the spread of this.
void add_said(std::vector<double>& said_s, const std::vector<double>& added_s, const std::vector<bool>& kept,
              const std::vector<double>& kept_s) {
  const double part_s = mean(kept_s);
  const double weight = static_cast<double>(added_s.size()) / static_cast<double>(kept_s.size());
  for (std::size_t round = 0; round < added_s.size(); ++round) {
    said_s[round] += kept[round] ? part_s + weight * (added_s[round] - part_s) : part_s;
  }
}

}  // namespace

bool has_sample(const Window& window) {
  return window.steps > 0 &&
         std::any_of(window.ranks.begin(), window.ranks.end(), [](const auto& rank) { return rank.has_value(); });
}

std::vector<double> undisturbed_values(const std::vector<double>& values, double step_s) {
  return only(values, undisturbed(values, step_s));
}

double step_s(const Window& window) {
  double wall_s = 0;
  for (const auto& rank : window.ranks) {
    if (rank) wall_s = std::max(wall_s, rank->wall_s);
  }
  return wall_s / window.steps;
}

std::vector<double> RoundTable::step_s(std::size_t place) const {
  std::vector<double> values;
  values.reserve(rounds.size());
  for (const auto& round : rounds) values.push_back(stash::step_s(*round[place]));
  return values;
}

RoundTable complete_rounds(const Profile& profile) {
  RoundTable table;
  table.chain = measured_chain(profile);
  std::map<int, std::map<Condition, const Window*>> by_round;
  for (const Window& window : profile.windows) {
    if (has_sample(window)) by_round[window.round][window.condition] = &window;
  }
  for (const auto& [number, windows] : by_round) {
    if (windows.size() != table.chain.size()) continue;
    auto& round = table.rounds.emplace_back();
    for (const auto& [condition, window] : windows) round.push_back(window);
  }
  return table;
}

std::vector<ConditionRounds> undisturbed_rounds(const RoundTable& table, double edge_s) {
  const double typical_step_s = median(table.step_s(table.chain.size() - 1));
  const std::size_t rounds = table.rounds.size();
  std::vector<double> before_s(rounds, 0), said_s(rounds, 0);
  std::vector<ConditionRounds> chain;
  for (std::size_t place = 0; place < table.chain.size(); ++place) {
    const std::vector<double> step_s = table.step_s(place);
    std::vector<double> added_s(rounds);
    std::transform(step_s.begin(), step_s.end(), before_s.begin(), added_s.begin(), std::minus<>());
    const std::vector<bool> kept = undisturbed(added_s, typical_step_s);
    chain.push_back({.condition = table.chain[place],
                     .added_s = only(added_s, kept),
                     .step_s = {},
                     .edge_s = edge_per_step_s(table, place, edge_s)});
    add_said(said_s, added_s, kept, chain.back().added_s);
    chain.back().step_s = said_s;
    before_s = step_s;
  }
  return chain;
}

int node_count(const Profile& profile) {
  if (!profile.places.empty()) return count_nodes(profile.places);
  std::ptrdiff_t nodes = 1;
  for (const Window& window : profile.windows) {
    if (window.condition != Condition::solo) continue;
    nodes = std::max(
        nodes, std::count_if(window.ranks.begin(), window.ranks.end(), [](const auto& r) { return r.has_value(); }));
  }
  return static_cast<int>(nodes);
}

}  // namespace stash
