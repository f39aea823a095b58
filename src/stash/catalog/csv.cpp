#include "stash/catalog/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {
namespace {

// Splits one line; `where` names it in messages.
class LineReader {
 public:
  LineReader(std::string_view line, std::string where) : line_(line), where_(std::move(where)) {}

  std::vector<std::string> fields() {
    std::vector<std::string> fields{field()};
    while (at_ < line_.size()) {
      ++at_;  // the comma
      fields.push_back(field());
    }
    return fields;
  }

 private:
  std::string field() { return at_ < line_.size() && line_[at_] == '"' ? quoted() : plain(); }

  std::string plain() {
    const std::size_t end = std::min(line_.find(',', at_), line_.size());
    std::string field(line_.substr(at_, end - at_));
    if (field.find('"') != std::string::npos) {
      throw Error(fmt::format("{}: a quote inside the field '{}'; quote the whole field", where_, field));
    }
    at_ = end;
    return field;
  }

  std::string quoted() {
    std::string field;
    for (++at_; at_ < line_.size(); ++at_) {
      if (line_[at_] == '"') {
        if (at_ + 1 == line_.size() || line_[at_ + 1] != '"') return end_quoted(field);
        ++at_;
      }
      field += line_[at_];
    }
    throw Error(fmt::format("{}: the quote before '{}' is never closed", where_, field));
  }

  std::string end_quoted(const std::string& field) {
    ++at_;
    if (at_ < line_.size() && line_[at_] != ',') {
      throw Error(fmt::format("{}: '{}' follows the quoted field '{}'; a comma must", where_, line_[at_], field));
    }
    return field;
  }

  std::string_view line_;
  std::string where_;
  std::size_t at_ = 0;
};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

CsvTable parse_csv(std::string_view text, std::string_view source) {
  CsvTable table;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string where = fmt::format("{} line {}", source, line);
    std::vector<std::string> fields = LineReader(take_line(text), where).fields();
    if (line == 1) {
      table.header = std::move(fields);
      continue;
    }
    if (fields.size() != table.header.size()) {
      throw Error(fmt::format("{}: {} fields where the header has {}", where, fields.size(), table.header.size()));
    }
    table.rows.push_back({line, std::move(fields)});
  }
  if (table.header.empty()) throw Error(fmt::format("{} is empty; it needs a header and rows", source));
  return table;
}

}  // namespace stash
