#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stash/core/price.h"
#include "stash/core/units.h"
#include "stash/report/advice_report.h"
#include "stash/report/advice_rows.h"

namespace stash {

namespace {

std::string machines_of(const Option& option) {
  return fmt::format("{} x {}", option.prediction.nodes, option.prediction.instance);
}

std::string asked_for(const AdviceQuestion& question) {
  std::string text = question.deadline_s ? fmt::format("a deadline of {}", format_duration(*question.deadline_s)) : "";
  if (!question.budget_usd) return text;
  return fmt::format("{}{}a budget of {}", text, text.empty() ? "" : " and ", format_usd(*question.budget_usd));
}

// Whether time is what counts, not money.
bool is_about_time(const AdviceQuestion& question, const Option& option) {
  return !option.cost_usd || (question.budget_usd && !question.deadline_s);
}

// What counts first, with its interval: "$110 ($98 to $124), 19.9 h".
std::string what_it_takes(const AdviceQuestion& question, const Option& option) {
  const std::string time = format_duration(option.time_s);
  const std::string cost = option.cost_usd ? format_usd(*option.cost_usd) : "";
  if (is_about_time(question, option)) {
    return fmt::format("{} ({}){}", time, duration_range(option.time_low_s, option.time_high_s),
                       cost.empty() ? "" : ", " + cost);
  }
  return fmt::format("{} ({} to {}), {}", cost, format_usd(*option.cost_low_usd), format_usd(*option.cost_high_usd),
                     time);
}

std::string more_certainty(const AdviceQuestion& question, const Advice& advice) {
  const double ratio = advice.ranked[*advice.best].meets_ratio.value_or(1);
  if (ratio >= kSurerRatio) return "";
  if (!advice.surer) return fmt::format("; nothing is {:.0f} % sure", kSurerRatio * 100);
  const Option& surer = advice.ranked[*advice.surer];
  const bool by_time = is_about_time(question, surer);
  return fmt::format("; {:.0f} % sure {} {} ({})", kSurerRatio * 100, by_time ? "takes" : "costs",
                     by_time ? format_duration(surer.time_s) : format_usd(*surer.cost_usd), machines_of(surer));
}

// Where nothing was asked for: how often the first or one of its near-ties is first.
std::string how_often_first(const Advice& advice) {
  const Option& best = advice.ranked[*advice.best];
  double ratio = 0;
  int tied = 0;
  for (const Option& option : advice.ranked) {
    if (option.group != best.group) continue;
    ratio += option.first_ratio;
    ++tied;
  }
  return fmt::format("{}{} with {} probability", best.cost_usd ? "the best product of time and cost" : "the fastest",
                     tied > 1 ? ", with its near-ties," : "", probability_text(ratio));
}

std::string what_to_rent(const AdviceQuestion& question, const Advice& advice) {
  const Option& best = advice.ranked[*advice.best];
  const std::string sure = best.meets_ratio
                               ? fmt::format("meets {} with {} probability{}", asked_for(question),
                                             probability_text(*best.meets_ratio), more_certainty(question, advice))
                               : how_often_first(advice);
  return fmt::format("{} {}: {}; {}", best.cost_usd ? "rent" : "use", machines_of(best), what_it_takes(question, best),
                     sure);
}

std::string in_brackets(const Option& option) {
  return option.cost_usd ? fmt::format("{}, {}", machines_of(option), format_usd(*option.cost_usd))
                         : machines_of(option);
}

std::string what_would_do(const Advice& advice) {
  std::vector<std::string> ways;
  if (const auto& needed = advice.deadline_needed) {
    ways.push_back(fmt::format("a deadline of {} ({})", duration_at_least(needed->amount),
                               in_brackets(advice.ranked[needed->option])));
  }
  if (const auto& needed = advice.budget_needed) {
    ways.push_back(
        fmt::format("a budget of {} ({})", usd_at_least(needed->amount), machines_of(advice.ranked[needed->option])));
  }
  return ways.empty() ? "" : fmt::format("; {} would do", fmt::join(ways, " or "));
}

std::string nothing_meets(const AdviceQuestion& question, const Advice& advice) {
  const Option& first = advice.ranked.front();
  const std::string cost = first.cost_usd ? format_usd(*first.cost_usd) : "";
  if (first.meets_ratio.value_or(0) < kNoChanceRatio) {
    return fmt::format("nothing meets {}: the closest, {}, takes {}{}{}", asked_for(question), machines_of(first),
                       format_duration(first.time_s), cost.empty() ? "" : " for " + cost, what_would_do(advice));
  }
  return fmt::format("nothing meets {} with {:g} % probability: the likeliest, {}, meets it with {} ({}{}){}",
                     asked_for(question), question.sure_ratio * 100, machines_of(first),
                     probability_text(*first.meets_ratio), cost.empty() ? "" : cost + ", ",
                     format_duration(first.time_s), what_would_do(advice));
}

}  // namespace

std::string advice_verdict(const AdviceQuestion& question, const Advice& advice) {
  if (advice.ranked.empty()) {
    return fmt::format("no machine can be advised: all {} were rejected", advice.rejected.size());
  }
  return advice.best ? what_to_rent(question, advice) : nothing_meets(question, advice);
}

// "12.1 to 14.5 h": the unit once where both have the same.
std::string duration_range(double low_s, double high_s) {
  const std::string low = format_duration(low_s), high = format_duration(high_s);
  const std::size_t space = low.find(' ');
  const bool same = low.substr(space) == high.substr(std::min(high.find(' '), high.size()));
  return fmt::format("{} to {}", same ? low.substr(0, space) : low, high);
}

}  // namespace stash
