#include "stash/report/advice_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stash/core/price.h"
#include "stash/core/units.h"
#include "stash/report/advice_rows.h"
#include "stash/report/columns.h"
#include "stash/report/prediction_csv.h"
#include "stash/report/printable.h"
#include "stash/report/rejected.h"

namespace stash {

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostSentences = 20;

std::string cost_of(const Option& option) { return option.cost_usd ? format_usd(*option.cost_usd) : "–"; }

// Why it does not meet what was asked for; empty: it does.
std::string shortfall(const Option& option, const AdviceQuestion& question) {
  if (option.meets) return "";
  const bool late = question.deadline_s && option.time_s > *question.deadline_s;
  const bool dear = question.budget_usd && option.cost_usd && *option.cost_usd > *question.budget_usd;
  return late && dear ? "too late, too dear" : late ? "too late" : dear ? "too dear" : "not sure enough";
}

class AdviceTable {
 public:
  AdviceTable(const AdviceQuestion& question, const Advice& advice, bool unicode)
      : question_(question), advice_(advice), rows_(advice_rows(advice)), unicode_(unicode) {}

  std::string text(std::size_t top) {
    if (rows_.empty()) return "";
    const bool asked = question_.deadline_s || question_.budget_usd;
    std::vector<Row> cells{{"", "", "", "machine", "cloud", "nodes", "GPUs", "time", "95 % interval", "cost",
                            asked ? "meets" : "first", ""}};
    const std::size_t shown = std::min(top, rows_.size());
    std::size_t options = 0;
    for (std::size_t i = 0; i < shown; ++i) {
      cells.push_back(cells_of(rows_[i]));
      options += 1 + rows_[i].folded.size();
    }
    const std::string more =
        shown < rows_.size() ? fmt::format("  {} more; --top shows them\n", advice_.ranked.size() - options) : "";
    return fmt::format("\n{}{}{}", render_columns(cells, std::array<std::size_t, 6>{1, 2, 3, 4, 6, 11}), more,
                       legend());
  }

 private:
  Row cells_of(const AdviceRow& row) {
    const Option& option = advice_.ranked[row.option];
    const Prediction& prediction = option.prediction;
    marks_links_ |= !prediction.links_known;
    const bool leads = row.place == AdviceRow::alone || row.place == AdviceRow::top;
    return {option.group && leads ? fmt::format("{}", *option.group) : "",
            bracket(row),
            fmt::format("{}{}", option.on_front ? "*" : "", prediction.links_known ? "" : "?"),
            printable(prediction.instance, unicode_, 40),
            printable(prediction.cloud, unicode_, 20),
            fmt::format("{}", prediction.nodes),
            fmt::format("{} {}", prediction.gpus, printable(prediction.gpu, unicode_, 40)),
            format_duration(option.time_s),
            duration_range(option.time_low_s, option.time_high_s),
            cost_of(option),
            probability_cell(row.certainty_ratio),
            row.other_nodes.empty() ? shortfall(option, question_) : fmt::format("also {} nodes", row.other_nodes)};
  }

  std::string bracket(const AdviceRow& row) {
    has_brackets_ |= row.place != AdviceRow::alone;
    has_folded_ |= !row.folded.empty();
    switch (row.place) {
      case AdviceRow::top:
        return unicode_ ? "┌" : "+";
      case AdviceRow::inside:
        return unicode_ ? "│" : "|";
      case AdviceRow::bottom:
        return unicode_ ? "└" : "+";
      default:
        return "";
    }
  }

  std::string legend() const {
    std::string text;
    if (has_brackets_ || has_folded_) {
      const std::string_view brackets = !has_brackets_ ? "" : unicode_ ? "┌│└" : "+|+";
      text += fmt::format("  {}{}{}: near-ties, the fewest machines first\n", brackets,
                          has_brackets_ && has_folded_ ? ", and " : "", has_folded_ ? "\"also\"" : "");
    }
    text += "  * no other is both faster and cheaper\n";
    if (marks_links_) text += "  ? how fast its GPUs are linked was neither published nor measured\n";
    return text;
  }

  const AdviceQuestion& question_;
  const Advice& advice_;
  std::vector<AdviceRow> rows_;
  bool unicode_;
  bool has_brackets_ = false;  // of the rows that were shown
  bool has_folded_ = false;
  bool marks_links_ = false;
};

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

std::string render_advice_text(const AdviceQuestion& question, const Advice& advice, const ReportOptions& options,
                               std::size_t top) {
  std::string page = shown(advice_verdict(question, advice), options.unicode) + "\n";
  for (const std::string& note : advice.notes) page += shown(note, options.unicode) + "\n";
  page += spot_line(question, advice);
  page += AdviceTable(question, advice, options.unicode).text(top);
  page += render_advice_plot(advice, options);
  page += sentences(advice.best ? "what would change the advice" : "what it would take", advice.would_change,
                    options.unicode);
  page += render_rejected(advice.rejected, options.unicode);
  return options.unicode ? page : to_ascii(page);
}

std::string render_advice_csv(const Advice& advice) {
  std::string csv = "rank," + prediction_csv_header() +
                    ",time_s,time_low_s,time_high_s,cost_usd,cost_low_usd,cost_high_usd,interruptions,meets,"
                    "meets_ratio,on_front,first_ratio,group,links_known\n";
  for (std::size_t i = 0; i < advice.ranked.size(); ++i) {
    const Option& option = advice.ranked[i];
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", i + 1, prediction_csv_row(option.prediction),
                       csv_number(option.time_s), csv_number(option.time_low_s), csv_number(option.time_high_s),
                       csv_number(option.cost_usd), csv_number(option.cost_low_usd), csv_number(option.cost_high_usd),
                       csv_number(option.interruptions), option.meets, csv_number(option.meets_ratio), option.on_front,
                       csv_number(option.first_ratio), option.group ? fmt::format("{}", *option.group) : "",
                       option.prediction.links_known);
  }
  return csv;
}

}  // namespace stash
