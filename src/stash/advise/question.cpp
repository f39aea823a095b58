#include "stash/advise/question.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "stash/core/error.h"

namespace stash {

namespace {

constexpr double kLeastSurePercent = 1;
constexpr double kMostSurePercent = 99.9;  // the intervals say nothing of what is rarer

void check_above_0(double value, std::string_view flag, std::string_view example) {
  if (std::isfinite(value) && value > 0) return;
  throw UsageError(fmt::format("{} is {}; it takes a number above 0, like {}", flag, value, example));
}

void check_not_negative(double value, std::string_view flag, std::string_view example) {
  if (std::isfinite(value) && value >= 0) return;
  throw UsageError(fmt::format("{} is {}; it takes a number from 0 on, like {}", flag, value, example));
}

}  // namespace

void check_question(const AdviceQuestion& question) {
  check_above_0(question.epochs, "--epochs", "90");
  check_above_0(question.samples, "--samples", "1281167");
  if (question.deadline_s) check_above_0(*question.deadline_s, "--deadline", "24h");
  if (question.budget_usd) check_above_0(*question.budget_usd, "--budget", "500");
  const double sure = question.sure_ratio * 100;
  if (!(sure >= kLeastSurePercent && sure <= kMostSurePercent)) {
    throw UsageError(fmt::format("--sure is {:g}; it takes a percentage from {:g} to {:g}, like 90", sure,
                                 kLeastSurePercent, kMostSurePercent));
  }
  check_not_negative(question.interruptions_per_h, "--interruptions-per-hour", "0.05");
  check_not_negative(question.restart_s, "--restart", "10m");
  check_not_negative(question.startup_s, "--startup", "5m");
  check_not_negative(question.storage_usd_per_h, "--storage-usd-per-hour", "0.11");
}

}  // namespace stash
