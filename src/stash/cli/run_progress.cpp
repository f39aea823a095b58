#include "stash/cli/run_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/attribute/attribute.h"
#include "stash/attribute/stopping.h"
#include "stash/core/clock.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr double kLastRound_s = 1;  // less than this is left: the time limit ends a run after a whole round

std::string describe_progress(const Collector& collector, int rounds, const std::string& widest) {
  const Profile& profile = collector.profile();
  if (profile.windows.empty()) return collector.phase() + " …";
  return fmt::format("round {}: {} windows{}", rounds + 1, profile.windows.size(), widest);
}

std::string describe_widest(const Collector& collector, std::int64_t started_ns) {
  const Profile& profile = collector.profile();
  const Ledger ledger = attribute(profile);
  const WidestInterval widest = widest_interval(ledger);
  const std::string name = widest.part ? std::string(to_string(*widest.part)) : "step";
  const std::string text =
      fmt::format(", widest interval ±{:.1f} % of the step ({}; target ±{:.1f} %)",
                  100 * widest.half_width_s / ledger.step.s, name, 100 * profile.job.precision_ratio);
  double left_s = std::max(0.0, profile.job.max_time_s - seconds(now_ns() - started_ns));
  if (const auto needed = rounds_still_needed(ledger, profile.job.precision_ratio)) {
    left_s = std::min(left_s, *needed * collector.round_s());
  }
  if (left_s < kLastRound_s) return text + ", ends with this round";
  return text + fmt::format(", at most {} left", format_duration(left_s));
}

}  // namespace

RunProgress::RunProgress(std::string before) : before_(std::move(before)), started_ns_(now_ns()) {}

void RunProgress::show(const Collector& collector) {
  if (collector.profile().windows.empty()) started_ns_ = now_ns();  // the time limit counts from the first round
  const int rounds = count_complete_rounds(collector.profile());
  if (rounds != rounds_ && rounds >= kFewestRounds) widest_ = describe_widest(collector, started_ns_);
  rounds_ = rounds;
  line_.show(before_ + describe_progress(collector, rounds, widest_));
}

void DataProgress::operator()(InputKind kind, std::int64_t done, std::int64_t total) {
  if (!progress_) {
    progress_ = std::make_shared<CountProgress>(kind == InputKind::images ? "making a data set: image"
                                                                          : "making a data set: token");
  }
  progress_->show(done, total);
}

}  // namespace stash
