#include "stash/attribute/rounds.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stash/core/statistics.h"

namespace stash {

namespace {

// So many median absolute deviations (scaled to a standard deviation) no ordinary round is away. Simulated:
// at 10 and with the two bounds below, intervals keep their coverage for normal and skewed noise, and one hit in
// fifty windows costs 1 round instead of 20.
constexpr double kExtremeDeviations = 10;
constexpr double kMadToDeviation = 1.4826;
// A deviation below this share of the step changes no conclusion; it also stands in for a spread of 0.
constexpr double kSmallRatio = 0.01;
constexpr std::size_t kKeptRounds = 5;  // fewer say nothing about what is ordinary
constexpr std::size_t kMostOneIn = 5;   // what happens more often than in a fifth of the rounds belongs to the job

bool has_sample(const Window& window) {
  return window.steps > 0 &&
         std::any_of(window.ranks.begin(), window.ranks.end(), [](const auto& rank) { return rank.has_value(); });
}

std::vector<Condition> measured_chain(const Profile& profile) {
  std::vector<Condition> chain;
  for (const Condition condition : kConditions) {
    const auto measured = [&](const Window& w) { return w.condition == condition && has_sample(w); };
    if (std::any_of(profile.windows.begin(), profile.windows.end(), measured)) chain.push_back(condition);
  }
  return chain;
}

// What a round adds at `place`: the difference to the place before, which drift does not touch.
std::vector<double> differences(const RoundTable& table, std::size_t place) {
  std::vector<double> values = table.step_s(place);
  if (place == 0) return values;
  const std::vector<double> before = table.step_s(place - 1);
  for (std::size_t round = 0; round < values.size(); ++round) values[round] -= before[round];
  return values;
}

// How far the values of each round are from the median, in robust deviations.
void raise_scores(std::vector<double>& scores, const std::vector<double>& values, double small_s) {
  const double center = median(values);
  std::vector<double> distances(values.size());
  std::transform(values.begin(), values.end(), distances.begin(), [&](double v) { return std::abs(v - center); });
  const double deviation = std::max(kMadToDeviation * median(distances), small_s / kExtremeDeviations);
  if (deviation <= 0) return;
  for (std::size_t round = 0; round < values.size(); ++round) {
    scores[round] = std::max(scores[round], distances[round] / deviation);
  }
}

std::vector<double> disturbance_scores(const RoundTable& table) {
  std::vector<double> scores(table.rounds.size(), 0);
  const double small_s = kSmallRatio * median(table.step_s(table.chain.size() - 1));
  // The base drifts, and a hit on it shows in the difference of the next condition; it counts only when alone.
  const std::size_t first = table.chain.size() > 1 ? 1 : 0;
  for (std::size_t place = first; place < table.chain.size(); ++place) {
    raise_scores(scores, differences(table, place), small_s);
  }
  return scores;
}

}  // namespace

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

void leave_out_disturbed(RoundTable& table) {
  const std::size_t count = table.rounds.size();
  if (table.chain.empty() || count <= kKeptRounds) return;
  const std::vector<double> scores = disturbance_scores(table);
  std::vector<std::size_t> worst;
  for (std::size_t round = 0; round < count; ++round) {
    if (scores[round] > kExtremeDeviations) worst.push_back(round);
  }
  std::sort(worst.begin(), worst.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  worst.resize(std::min({worst.size(), count - kKeptRounds, count / kMostOneIn}));
  for (const std::size_t round : worst) table.rounds[round].clear();
  std::erase_if(table.rounds, [](const auto& round) { return round.empty(); });
  table.left_out = static_cast<int>(worst.size());
}

int node_count(const Profile& profile) {
  std::ptrdiff_t nodes = 1;
  for (const Window& window : profile.windows) {
    if (window.condition != Condition::solo) continue;
    nodes = std::max(
        nodes, std::count_if(window.ranks.begin(), window.ranks.end(), [](const auto& r) { return r.has_value(); }));
  }
  return static_cast<int>(nodes);
}

}  // namespace stash
