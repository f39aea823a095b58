#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

struct CsvRow {
  std::size_t line = 0;  // from 1, for messages
  std::vector<std::string> fields;
};

// A header and rows that all have its number of fields. Fields may be quoted, "" is a quote; a quoted field ends
// on its line. `source` names the text in messages. Error for anything else.
struct CsvTable {
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
};

// The fields of one line, without its end; quotes are taken off in place, so fields lie in `line`. Returns what is
// wrong with it; empty: nothing.
std::string split_csv_line(std::span<char> line, std::vector<std::string_view>& fields);

CsvTable parse_csv(std::string_view text, std::string_view source);

}  // namespace stash
