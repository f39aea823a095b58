#include "stash/report/html/html_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "stash/report/html/escape.h"

namespace stash {

namespace {

constexpr std::size_t kLongestText = 160;
constexpr std::size_t kMostColumns = 10;  // that a column of text has room for; a table with more may leave it

}  // namespace

HtmlTable::HtmlTable(std::string_view caption, std::initializer_list<std::string_view> columns, std::size_t most_bytes)
    : caption_(caption), columns_(columns.begin(), columns.end()), most_bytes_(most_bytes) {}

void HtmlTable::add(std::vector<Cell> row, std::string_view row_class) {
  if (bytes_ > most_bytes_) {
    ++left_out_;
    return;
  }
  std::string cells;
  is_number_.resize(std::max(is_number_.size(), row.size()));
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].value) is_number_[i] = true;
    const std::string text = html_text(row[i].text, kLongestText);
    if (i == 0) {
      cells += fmt::format("<th scope=\"row\">{}</th>", text);
    } else if (row[i].value && std::isfinite(*row[i].value)) {
      cells += fmt::format("<td class=\"n\" data-value=\"{}\">{}</td>", *row[i].value, text);
    } else {
      cells += fmt::format("<td{}>{}</td>", text == "–" ? " class=\"n\"" : "", text);
    }
  }
  rows_.push_back(row_class.empty() ? fmt::format("<tr>{}</tr>", cells)
                                    : fmt::format("<tr class=\"{}\">{}</tr>", row_class, cells));
  bytes_ += rows_.back().size();
}

std::string HtmlTable::str() const {
  std::string head;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool is_number = i > 0 && i < is_number_.size() && is_number_[i];
    head += fmt::format("<th scope=\"col\"{}>{}</th>", is_number ? " class=\"n\"" : "", html_text(columns_[i]));
  }
  const std::string caption = html_text(caption_);
  return fmt::format(
      "<div class=\"scroll{}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><caption>{}</caption><thead><tr>"
      "{}</tr></thead><tbody>\n{}\n</tbody></table></div>\n{}",
      columns_.size() > kMostColumns ? " wide" : "", caption, caption, head, fmt::join(rows_, "\n"),
      left_out_ > 0 ? fmt::format("<p class=\"quiet\">{} rows more; the JSON has them all.</p>\n", left_out_) : "");
}

std::string HtmlTable::folded() const {
  return fmt::format("<details><summary>Table: {}</summary>\n{}</details>\n", html_text(caption_), str());
}

Cell number_cell(std::optional<double> value, int decimals) {
  if (!value || !std::isfinite(*value)) return {"–"};
  return {fmt::format("{:.{}f}", *value, decimals), *value};
}

}  // namespace stash
