#include "stash/attribute/variants.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stash/attribute/attribute.h"
#include "stash/attribute/interval.h"
#include "stash/attribute/round_table.h"
#include "stash/core/statistics.h"

namespace stash {
namespace {

// Variants stand beside the ledger: they need not be as precise as it, and seldom are worth many more rounds.
constexpr int kFewestVisits = 3;
constexpr double kWidthRatio = 2;  // of the ledger's target

struct Visits {
  std::vector<double> saved_s, step_s;
  double edges_s = 0;  // sum over rounds of what the edges put on a step of either window, in quadrature
};

std::map<std::pair<int, Condition>, const Window*> plain_windows(const Profile& profile) {
  std::map<std::pair<int, Condition>, const Window*> plain;
  for (const Window& window : profile.windows) {
    if (has_sample(window)) plain[{window.round, window.condition}] = &window;
  }
  return plain;
}

std::map<Variant, Visits> visits_of(const Profile& profile) {
  const auto plain = plain_windows(profile);
  std::map<Variant, Visits> visits;
  for (const Window& window : profile.variant_windows) {
    const auto beside = plain.find({window.round, window.condition});
    if (!has_sample(window) || beside == plain.end()) continue;
    Visits& own = visits[{window.condition, window.variant}];
    own.step_s.push_back(step_s(*beside->second));
    own.saved_s.push_back(own.step_s.back() - step_s(window));
    own.edges_s += std::hypot(profile.edge_s / window.steps, profile.edge_s / beside->second->steps);
  }
  return visits;
}

}  // namespace

std::vector<VariantSaving> variant_savings(const Profile& profile) {
  std::vector<VariantSaving> savings;
  for (const auto& [variant, visits] : visits_of(profile)) {
    if (visits.saved_s.size() < static_cast<std::size_t>(kFewestRounds)) continue;
    const std::vector<double> kept = undisturbed_values(visits.saved_s, median(visits.step_s));
    const double edge_s = visits.edges_s / static_cast<double>(visits.saved_s.size());
    savings.push_back({variant, interval(mean(kept), kept, edge_s), static_cast<int>(kept.size())});
  }
  return savings;
}

bool variants_precise(const std::vector<VariantSaving>& savings, std::size_t variants, double precision_ratio,
                      double step_s) {
  return savings.size() >= variants && std::ranges::all_of(savings, [&](const VariantSaving& saving) {
           return saving.rounds >= kFewestVisits &&
                  half_width_s(saving.saved) <= kWidthRatio * precision_ratio * step_s;
         });
}

}  // namespace stash
