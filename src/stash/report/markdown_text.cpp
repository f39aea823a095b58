#include "stash/report/markdown_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stash/report/printable.h"

namespace stash {

namespace {

constexpr std::string_view kMarkup = "\\`*_{}[]<>#|&~!$^";

// "https://..." and "www...." become links by themselves.
bool makes_link(std::string_view text, std::size_t place) {
  if (text[place] == ':') return text.substr(place + 1).starts_with('/');
  return text[place] == '.' && place > 0 && (text[place - 1] == 'w' || text[place - 1] == 'W');
}

std::size_t longest_run(std::string_view text, char mark) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == mark ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string line_of(const std::vector<std::string>& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); }

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string clean = printable(text);
  std::string escaped;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    if (c == '@') {
      escaped += "`@`";  // only code is spared from mentions
      continue;
    }
    if (kMarkup.find(c) != std::string_view::npos || makes_link(clean, i)) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string markdown_code(std::string_view text) {
  const std::string clean = printable(text);
  const std::string fence(longest_run(clean, '`') + 1, '`');
  // A space on both sides is not shown; without it a backtick at an end would join the fence.
  return fmt::format("{} {} {}", fence, clean, fence);
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  if (rows.empty()) return "";
  std::vector<std::string> rule(rows.front().size(), "--:");
  std::fill_n(rule.begin(), std::min(left, rule.size()), "---");
  std::string table = line_of(rows.front()) + line_of(rule);
  for (std::size_t i = 1; i < rows.size(); ++i) table += line_of(rows[i]);
  return table;
}

}  // namespace stash
