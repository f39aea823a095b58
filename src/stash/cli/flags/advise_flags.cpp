#include "stash/cli/flags/advise_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>

#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::int64_t kMostNodes = 16;
constexpr std::int64_t kMostRows = 100'000;     // more than any catalogue has
constexpr const char* kDefaultRestart = "10m";  // an image pulled, weights loaded, half the time between checkpoints

std::int64_t in_range(std::int64_t value, std::int64_t highest, std::string_view flag) {
  if (value >= 1 && value <= highest) return value;
  throw UsageError(fmt::format("{} {} is out of range: it takes 1 to {}", flag, value, highest));
}

// "90%" or "90". A ratio such as 0.9 is no percentage from 1 on, and is refused by check_question.
double parse_percent(std::string_view text, std::string_view flag) {
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (error == std::errc{} && end == number.data() + number.size()) return percent;
  throw UsageError(fmt::format("{} takes a percentage, not '{}'; write it like 90%", flag, text));
}

double parse_time_above_0(std::string_view text, std::string_view flag, std::string_view example) {
  const double s = parse_duration_s(text, flag);
  if (s > 0) return s;
  throw UsageError(fmt::format("{} takes a duration above 0, not '{}'; write it like {}", flag, text, example));
}

}  // namespace

void AdviseFlags::add_to(CLI::App& app) {
  app.add_option("--epochs", epochs_, "Number of epochs to train; fractions are allowed")->type_name("N");
  app.add_option("--samples", samples_, "Samples per epoch; default: those of the profile's data set")->type_name("N");
  app.add_option("--deadline", deadline_, "Finish within this time, at the lowest cost: 24h")->type_name("TIME");
  app.add_option("--budget", budget_, "Finish for this many dollars, in the shortest time: 500")->type_name("USD");
  app.add_option("--sure", sure_, "Probability with which deadline and budget must be met; default: 90%")
      ->type_name("PERCENT");
  app.add_flag("--spot", spot_, "Spot prices, with interruptions");
  app.add_option("--interruptions-per-hour", interruptions_per_hour_,
                 "Interruptions per hour of one spot machine; each stops all of them; default: 0")
      ->type_name("N");
  app.add_option("--restart", restart_,
                 fmt::format("Time lost per interruption: lost work and restart; default: {}", kDefaultRestart))
      ->type_name("TIME");
  app.add_option("--startup", startup_, "Rented time before the first step")->type_name("TIME")->capture_default_str();
  storage_usd_per_hour_.add_to(app, "Price of storage for all machines together; default: 0");
  app.add_option("--max-nodes", max_nodes_, fmt::format("Try 1 to this many machines of a kind (up to {})", kMostNodes))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--top", top_, "Rows to show")->type_name("N")->capture_default_str();
  app.add_option("--seed", seed_, "Random seed for the draws behind the certainty figures")
      ->type_name("N")
      ->capture_default_str();
}

AdviceQuestion AdviseFlags::resolve(std::optional<double> dataset_samples) const {
  if (!epochs_) throw UsageError("--epochs is missing: the number of passes over the data set, like --epochs 90");
  if (!samples_ && !dataset_samples) {
    throw UsageError("--samples is missing: the number of samples per epoch, like --samples 1281167");
  }
  if (!spot_ && (interruptions_per_hour_ || !restart_.empty())) {
    throw UsageError(fmt::format("{} is about spot machines: add --spot, or leave it out",
                                 interruptions_per_hour_ ? "--interruptions-per-hour" : "--restart"));
  }
  if (!sure_.empty() && deadline_.empty() && budget_.empty()) {
    throw UsageError("--sure is about a deadline or a budget: add --deadline or --budget, or leave it out");
  }
  AdviceQuestion question;
  question.epochs = *epochs_;
  question.samples = samples_ ? *samples_ : *dataset_samples;
  if (!deadline_.empty()) question.deadline_s = parse_time_above_0(deadline_, "--deadline", "24h");
  if (!budget_.empty()) question.budget_usd = parse_usd(budget_, "--budget");
  if (!sure_.empty()) question.sure_ratio = parse_percent(sure_, "--sure") / 100;
  question.spot = spot_;
  question.interruptions_per_h = interruptions_per_hour_.value_or(0);
  question.restart_s = spot_ ? parse_duration_s(restart_.empty() ? kDefaultRestart : restart_, "--restart") : 0;
  question.startup_s = parse_duration_s(startup_, "--startup");
  question.storage_usd_per_h = storage_usd_per_hour_.get().value_or(0);
  question.seed = seed_;
  check_question(question);
  return question;
}

std::size_t AdviseFlags::top() const { return static_cast<std::size_t>(in_range(top_, kMostRows, "--top")); }

int AdviseFlags::max_nodes() const { return static_cast<int>(in_range(max_nodes_, kMostNodes, "--max-nodes")); }

}  // namespace stash
