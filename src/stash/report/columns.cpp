#include "stash/report/columns.h"

#include <algorithm>

namespace stash {
namespace {

std::size_t width_of(const std::string& cell) {
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(cell, begins_character));
}

}  // namespace

Columns::Columns(std::vector<std::string> header, std::vector<std::size_t> left)
    : rows_{std::move(header)}, left_(std::move(left)) {}

void Columns::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string Columns::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      const bool is_left = std::ranges::find(left_, i) != left_.end();
      line += (is_left ? row[i] + space : space + row[i]) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace stash
