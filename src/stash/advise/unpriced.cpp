#include "stash/advise/unpriced.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "stash/advise/goal.h"
#include "stash/core/units.h"

namespace stash {

namespace {

constexpr std::size_t kMostUnpricedNames = 3;

// Of each machine the smallest node count that meets the deadline; else, or without a deadline, the fastest.
std::vector<const Candidate*> one_of_each(std::span<const Candidate> unpriced, const Goal& goal) {
  std::map<std::pair<std::string_view, std::string_view>, const Candidate*> machines;
  for (const Candidate& candidate : unpriced) {
    const Candidate*& chosen = machines[{candidate.prediction->cloud, candidate.prediction->instance}];
    const bool is_sure = goal.is_asked() && goal.is_sure(candidate);
    const bool chosen_is_sure = chosen != nullptr && goal.is_asked() && goal.is_sure(*chosen);
    const bool is_better = chosen == nullptr ||
                           (is_sure && (!chosen_is_sure || candidate.prediction->nodes < chosen->prediction->nodes)) ||
                           (!chosen_is_sure && candidate.time_s < chosen->time_s);
    if (is_better) chosen = &candidate;
  }
  std::vector<const Candidate*> chosen;
  for (const auto& [name, candidate] : machines) chosen.push_back(candidate);
  std::ranges::stable_sort(chosen, {}, [](const Candidate* candidate) { return candidate->time_s; });
  return chosen;
}

std::string times_of(const std::vector<const Candidate*>& machines, bool spot) {
  std::vector<std::string> times;
  for (const Candidate* candidate : machines) {
    if (times.size() == kMostUnpricedNames) break;
    times.push_back(
        fmt::format("{} would take {}", name_of(*candidate->prediction), format_duration(candidate->time_s)));
  }
  const std::size_t left = machines.size() - times.size();
  return fmt::format("without a {}price, and so not ranked: {}{}", spot ? "spot " : "", fmt::join(times, ", "),
                     left > 0 ? fmt::format(" and {} more", left) : "");
}

}  // namespace

std::string leave_out_unpriced(std::vector<Candidate>& candidates, const AdviceQuestion& question,
                               std::vector<Rejected>& rejected) {
  const auto unpriced = std::ranges::stable_partition(
      candidates, [](const Candidate& candidate) { return candidate.cost_usd.has_value(); });
  if (unpriced.empty()) return "";
  const Goal by_time(question, false);
  const std::vector<const Candidate*> machines = one_of_each(unpriced, by_time);
  for (const Candidate* candidate : machines) {
    const Prediction& prediction = *candidate->prediction;
    rejected.push_back({prediction.cloud, prediction.instance, prediction.nodes,
                        question.spot ? "its spot price is not known: import prices, or leave out --spot"
                                      : "its price is not known: import prices with stash catalog import"});
  }
  std::string note = times_of(machines, question.spot);
  candidates.erase(unpriced.begin(), unpriced.end());
  return note;
}

}  // namespace stash
