#include "stash/report/columns.h"

#include <algorithm>
#include <string_view>

namespace stash {

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string render_columns(const std::vector<std::vector<std::string>>& rows, std::span<const std::size_t> left,
                           std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string fill(widths[i] - characters(row[i]), ' ');
      const bool is_left = std::ranges::find(left, i) != left.end();
      line += (i > 0 ? "  " : "") + (is_left ? row[i] + fill : fill + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace stash
