#include "stash/cli/progress_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/attribute/attribute.h"
#include "stash/attribute/stopping.h"
#include "stash/core/clock.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr double kLastRound_s = 1;  // less than this is left: the time limit ends a run after a whole round

std::string describe_widest(const Ledger& ledger, double precision_ratio) {
  const WidestInterval widest = widest_interval(ledger);
  const std::string name = widest.part ? std::string(to_string(*widest.part)) : "step";
  return fmt::format(", widest interval ±{:.1f} % of the step ({}; target ±{:.1f} %)",
                     100 * widest.half_width_s / ledger.step.s, name, 100 * precision_ratio);
}

}  // namespace

// The time limit, or the rounds that are still needed where they take less; never fewer than are always measured.
void ProgressText::note_round(const Collector& collector, std::int64_t now_ns) {
  const Profile& profile = collector.profile();
  const int done = *rounds_;
  const auto after = [&](int more) { return now_ns + nanoseconds(more * collector.round_s()); };
  end_ns_ = *collector.rounds_start_ns() + nanoseconds(profile.job.max_time_s);
  if (profile.job.rounds > 0) end_ns_ = std::min(end_ns_, after(std::max(0, profile.job.rounds - done)));
  if (done < kFewestRounds) {
    end_ns_ = std::max(end_ns_, after(kFewestRounds - done));
    return;
  }
  const Ledger ledger = attribute(profile);
  widest_ = describe_widest(ledger, profile.job.precision_ratio);
  if (const auto needed = rounds_still_needed(ledger, profile.job.precision_ratio)) {
    end_ns_ = std::min(end_ns_, after(*needed));
  }
}

std::string ProgressText::line(const Collector& collector, std::int64_t now_ns) {
  const Profile& profile = collector.profile();
  if (!collector.rounds_start_ns()) {
    return fmt::format("{} …, then at most {}", collector.phase(), format_duration(profile.job.max_time_s));
  }
  const int rounds = count_complete_rounds(profile);
  if (rounds_ != rounds) {
    rounds_ = rounds;
    note_round(collector, now_ns);
  }
  const double left_s = seconds(end_ns_ - now_ns);
  const std::string left =
      left_s < kLastRound_s ? "ends with this round" : fmt::format("at most {} left", format_duration(left_s));
  return fmt::format("round {}: {} windows{}, {}", rounds + 1, profile.windows.size(), widest_, left);
}

}  // namespace stash
