#include "stash/launch/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "stash/core/units.h"

namespace stash {
namespace {

std::string with_output(std::string message, const Outcome& outcome, int rank) {
  const auto end =
      std::find_if(outcome.ends.begin(), outcome.ends.end(), [&](const RankEnd& e) { return e.rank == rank; });
  if (end == outcome.ends.end() || end->last_output.empty()) return message;
  return fmt::format("{}\nits last output:\n{}", message, end->last_output);
}

const ErrorEvent* own_error(const RankErrors& errors, int rank) {
  const auto found = errors.find(rank);
  return found == errors.end() || found->second.kind == FaultKind::peer ? nullptr : &found->second;
}

std::string name_of(int rank, const std::string& host) {
  return host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} on {}", rank, host);
}

std::string describe_end(const RankEnd& end, const std::string& host) {
  const std::string name = name_of(end.rank, host);
  if (!end.signal) return fmt::format("{} ended with exit code {}", name, end.exit_code);
  const std::string died = fmt::format("{} was ended by signal {} ({})", name, *end.signal, strsignal(*end.signal));
  if (*end.signal != SIGKILL) return died;
  return died + ": if nobody did that, the machine ran out of memory; try a smaller --batch or fewer --ranks";
}

// It died without a word, and not by our hand.
bool is_silent(const RankEnd& end, const RankErrors& errors) {
  return !end.clean() && !end.stopped_by_us && !errors.contains(end.rank);
}

}  // namespace

bool is_usage_fault(const RankErrors& errors) {
  return std::any_of(errors.begin(), errors.end(),
                     [](const auto& entry) { return entry.second.kind == FaultKind::usage; });
}

bool is_own_fault(const Outcome& outcome, const RankErrors& errors) {
  return outcome.hung_rank || std::ranges::any_of(outcome.ends, [&](const RankEnd& end) {
           return own_error(errors, end.rank) != nullptr || is_silent(end, errors);
         });
}

bool is_rank_0_lost(const RankErrors& errors) {
  return std::any_of(errors.begin(), errors.end(), [](const auto& entry) {
    const std::vector<int>& lost = entry.second.lost;
    return std::find(lost.begin(), lost.end(), 0) != lost.end();
  });
}

std::optional<std::string> describe_fault(const Outcome& outcome, const RankErrors& errors, double deadline_s,
                                          const std::string& host) {
  if (outcome.hung_rank) {
    return with_output(
        fmt::format("{} gave no sign of life for {} while {}; --timeout sets how long to wait",
                    name_of(*outcome.hung_rank, host), format_duration(deadline_s), to_string(outcome.hung_in)),
        outcome, *outcome.hung_rank);
  }
  // A rank that said why comes first, then one that died without a word, then one that saw another one go.
  for (const RankEnd& end : outcome.ends) {
    const ErrorEvent* error = own_error(errors, end.rank);
    if (error == nullptr) continue;
    if (error->kind == FaultKind::usage) return error->message;
    const char* advice = error->kind == FaultKind::memory ? "; use a smaller --batch or fewer --ranks" : "";
    return fmt::format("{}: {}{}", name_of(end.rank, host), error->message, advice);
  }
  for (const RankEnd& end : outcome.ends) {
    if (is_silent(end, errors)) return with_output(describe_end(end, host), outcome, end.rank);
  }
  for (const RankEnd& end : outcome.ends) {
    if (!end.clean() && errors.contains(end.rank)) {
      return fmt::format("{} lost the others: {}", name_of(end.rank, host), errors.at(end.rank).message);
    }
  }
  return std::nullopt;
}

}  // namespace stash
