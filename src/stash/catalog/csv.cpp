#include "stash/catalog/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kMostFields = 256;

// Takes fields off a line one by one.
class LineReader {
 public:
  explicit LineReader(std::span<char> line) : line_(line) {}

  bool has_more() const { return has_more_; }
  const std::string& fault() const { return fault_; }

  std::string_view field() {
    const std::string_view field = !is_at_end() && line_[at_] == '"' ? quoted() : plain();
    has_more_ = !is_at_end();
    ++at_;  // the comma
    return field;
  }

 private:
  bool is_at_end() const { return at_ >= line_.size(); }
  std::string_view rest() const { return std::string_view(line_.data(), line_.size()).substr(at_); }

  std::string_view plain() {
    const std::string_view field = rest().substr(0, rest().find(','));
    if (field.find('"') != std::string_view::npos) {
      fault_ = fmt::format("a quote inside the field '{}'; quote the whole field", field);
    }
    at_ += field.size();
    return field;
  }

  std::string_view quoted() {
    const std::size_t start = at_ + 1;
    std::size_t written = start;
    const auto field = [&] { return std::string_view(line_.data() + start, written - start); };
    for (at_ = start; !is_at_end(); ++at_) {
      const bool is_quote = line_[at_] == '"';
      if (is_quote && (at_ + 1 == line_.size() || line_[at_ + 1] != '"')) return end_quoted(field());
      if (is_quote) ++at_;
      line_[written++] = line_[at_];
    }
    fault_ = fmt::format("the quote before '{}' is never closed", field());
    return field();
  }

  std::string_view end_quoted(std::string_view field) {
    ++at_;
    if (!is_at_end() && line_[at_] != ',') {
      fault_ = fmt::format("'{}' follows the quoted field '{}'; a comma must", line_[at_], field);
    }
    return field;
  }

  std::span<char> line_;
  std::size_t at_ = 0;
  bool has_more_ = false;
  std::string fault_;
};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string split_csv_line(std::span<char> line, std::vector<std::string_view>& fields) {
  fields.clear();
  LineReader reader(line);
  do {
    if (fields.size() == kMostFields) return fmt::format("it has more than {} fields", kMostFields);
    fields.push_back(reader.field());
    if (!reader.fault().empty()) return reader.fault();
  } while (reader.has_more());
  return "";
}

CsvTable parse_csv(std::string_view text, std::string_view source) {
  CsvTable table;
  std::vector<std::string_view> views;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string where = fmt::format("{} line {}", source, line);
    std::string own(take_line(text));
    if (const std::string fault = split_csv_line(own, views); !fault.empty()) {
      throw Error(fmt::format("{}: {}", where, fault));
    }
    std::vector<std::string> fields(views.begin(), views.end());
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
