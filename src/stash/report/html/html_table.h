#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// What a table shows, and the number behind it where there is one.
struct Cell {
  Cell(std::string shown, std::optional<double> number = {}) : text(std::move(shown)), value(number) {}
  Cell(const char* shown) : text(shown) {}
  std::string text;
  std::optional<double> value;
};

// A table with a caption; the first column names the row. Texts are escaped here, numbers stand at the right. Rows
// beyond what a page has room for are counted, not shown.
class HtmlTable {
 public:
  static constexpr std::size_t kMostBytes = 20'000;      // of the rows of one table; a page has about ten
  static constexpr std::size_t kMostMainBytes = 60'000;  // of the rows of a table that its page is for

  HtmlTable(std::string_view caption, std::initializer_list<std::string_view> columns,
            std::size_t most_bytes = kMostBytes);
  void add(std::vector<Cell> row, std::string_view row_class = "");
  // Columns that were not named in the beginning.
  void add_column(std::string_view name) { columns_.emplace_back(name); }

  bool empty() const { return rows_.empty(); }
  std::string str() const;
  // Behind a line to click on, which names it.
  std::string folded() const;

 private:
  std::string caption_;
  std::vector<std::string> columns_;
  std::vector<std::string> rows_;
  std::vector<bool> is_number_;  // by column
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::size_t left_out_ = 0;
};

// "–" where nothing is known.
Cell number_cell(std::optional<double> value, int decimals);

}  // namespace stash
