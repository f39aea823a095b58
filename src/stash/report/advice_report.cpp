#include "stash/report/advice_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stash/core/price.h"
#include "stash/core/units.h"
#include "stash/report/columns.h"
#include "stash/report/prediction_csv.h"
#include "stash/report/printable.h"
#include "stash/report/rejected.h"

namespace stash {

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostSentences = 20;

std::string name_of(const Option& option) {
  return fmt::format("{} x {}", option.prediction.nodes, option.prediction.instance);
}

// "12.1 to 14.5 h": the unit once where both have the same.
std::string range(double low_s, double high_s) {
  const std::string low = format_duration(low_s), high = format_duration(high_s);
  const std::size_t space = low.find(' ');
  const bool same = low.substr(space) == high.substr(std::min(high.find(' '), high.size()));
  return fmt::format("{} to {}", same ? low.substr(0, space) : low, high);
}

std::string cost_of(const Option& option) { return option.cost_usd ? format_usd(*option.cost_usd) : "–"; }

std::string for_cost(const Option& option) { return option.cost_usd ? " for " + cost_of(option) : ""; }

std::string asked_for(const AdviceQuestion& question) {
  std::string text = question.deadline_s ? fmt::format("a deadline of {}", format_duration(*question.deadline_s)) : "";
  if (!question.budget_usd) return text;
  return fmt::format("{}{}a budget of {}", text, text.empty() ? "" : " and ", format_usd(*question.budget_usd));
}

std::string remark(const Option& option, const AdviceQuestion& question) {
  if (option.meets) return "";
  const bool late = question.deadline_s && option.time_s > *question.deadline_s;
  const bool dear = question.budget_usd && option.cost_usd && *option.cost_usd > *question.budget_usd;
  return late && dear ? "too late, too dear" : late ? "too late" : dear ? "too dear" : "";
}

Row row_of(std::size_t place, const Option& option, const AdviceQuestion& question, bool unicode) {
  return {fmt::format("{}", place + 1),
          option.on_front ? "*" : "",
          printable(option.prediction.instance, unicode, 40),
          printable(option.prediction.cloud, unicode, 20),
          fmt::format("{}", option.prediction.nodes),
          fmt::format("{} {}", option.prediction.gpus, printable(option.prediction.gpu, unicode, 40)),
          format_duration(option.time_s),
          range(option.time_low_s, option.time_high_s),
          cost_of(option),
          fmt::format("{:.0f} %", option.first_ratio * 100),
          remark(option, question)};
}

std::string table_of(const AdviceQuestion& question, const Advice& advice, bool unicode, std::size_t top) {
  if (advice.ranked.empty()) return "";
  std::vector<Row> rows{{"", "", "machine", "cloud", "nodes", "GPUs", "time", "95 % interval", "cost", "first", ""}};
  const std::size_t shown = std::min(top, advice.ranked.size());
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(row_of(i, advice.ranked[i], question, unicode));
  const std::string more =
      shown < advice.ranked.size() ? fmt::format("  {} more; --top shows them\n", advice.ranked.size() - shown) : "";
  return fmt::format("\n{}{}  * no other is both faster and cheaper\n",
                     render_columns(rows, std::array<std::size_t, 5>{1, 2, 3, 5, 10}), more);
}

// A sentence of this program with names from a catalogue in it.
std::string shown(const std::string& sentence, bool unicode) {
  return printable(unicode ? sentence : to_ascii(sentence), unicode);
}

std::string sentences(std::string_view title, const std::vector<std::string>& lines, bool unicode) {
  if (lines.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(lines.size(), kMostSentences); ++i) {
    text += fmt::format("  {}\n", shown(lines[i], unicode));
  }
  return text;
}

std::string spot_line(const AdviceQuestion& question, const Advice& advice) {
  if (!question.spot || !advice.best) return "";
  return fmt::format("spot machines: {:.1f} interruptions expected, {} each\n",
                     advice.ranked[*advice.best].interruptions, format_duration(question.restart_s));
}

}  // namespace

std::string advice_verdict(const AdviceQuestion& question, const Advice& advice) {
  if (advice.ranked.empty()) {
    return fmt::format("no machine can be advised: all {} were rejected", advice.rejected.size());
  }
  if (!advice.best) {
    const Option& closest = advice.ranked.front();
    return fmt::format("nothing meets {}: the closest, {}, takes {}{}", asked_for(question), name_of(closest),
                       format_duration(closest.time_s), for_cost(closest));
  }
  const Option& best = advice.ranked[*advice.best];
  const std::string meets =
      best.meets_ratio ? fmt::format("meets {} in {:.0f} %", asked_for(question), *best.meets_ratio * 100) : "";
  return fmt::format("rent {}: {:g} epochs in {}{} ({}); {}first in {:.0f} % of what the inputs allow", name_of(best),
                     question.epochs, format_duration(best.time_s), for_cost(best),
                     range(best.time_low_s, best.time_high_s), meets.empty() ? "" : meets + ", ",
                     best.first_ratio * 100);
}

std::string render_advice_text(const AdviceQuestion& question, const Advice& advice, const ReportOptions& options,
                               std::size_t top) {
  std::string page = shown(advice_verdict(question, advice), options.unicode) + "\n";
  for (const std::string& note : advice.notes) page += shown(note, options.unicode) + "\n";
  page += spot_line(question, advice);
  page += table_of(question, advice, options.unicode, top);
  page += render_advice_plot(advice, options);
  page += sentences(advice.best ? "what would change the first place" : "what it would take", advice.would_change,
                    options.unicode);
  page += render_rejected(advice.rejected, options.unicode);
  return options.unicode ? page : to_ascii(page);
}

std::string render_advice_csv(const Advice& advice) {
  std::string csv = "rank," + prediction_csv_header() +
                    ",time_s,time_low_s,time_high_s,cost_usd,cost_low_usd,cost_high_usd,interruptions,meets,"
                    "meets_ratio,on_front,first_ratio\n";
  for (std::size_t i = 0; i < advice.ranked.size(); ++i) {
    const Option& option = advice.ranked[i];
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", i + 1, prediction_csv_row(option.prediction),
                       csv_number(option.time_s), csv_number(option.time_low_s), csv_number(option.time_high_s),
                       csv_number(option.cost_usd), csv_number(option.cost_low_usd), csv_number(option.cost_high_usd),
                       csv_number(option.interruptions), option.meets, csv_number(option.meets_ratio), option.on_front,
                       csv_number(option.first_ratio));
  }
  return csv;
}

}  // namespace stash
