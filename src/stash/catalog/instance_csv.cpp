#include "stash/catalog/instance_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "stash/catalog/csv.h"
#include "stash/catalog/instance_fields.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/row_faults.h"
#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result + '"';
}

class CellWriter {
 public:
  void operator()(const char*, const std::string& value) { add(quoted(value)); }
  void operator()(const char*, int value) { add(std::to_string(value)); }
  void operator()(const char*, const std::optional<GpuLinks>& value) {
    add(value ? std::string(to_string(*value)) : "");
  }
  template <class T>
  void operator()(const char*, const std::optional<T>& value) {
    add(value ? fmt::format("{}", *value) : "");
  }

  std::string line() const { return line_ + '\n'; }

 private:
  void add(const std::string& cell) {
    if (!first_) line_ += ',';
    first_ = false;
    line_ += cell;
  }

  std::string line_;
  bool first_ = true;
};

// Files written by 0.1 have the older name.
std::string current_name(std::string column) { return column.ends_with("usd_per_h") ? column + "our" : column; }

struct NameCollector {
  template <class T>
  void operator()(const char* name, const T&) {
    names.emplace_back(name);
  }
  std::vector<std::string> names;
};

std::vector<std::string> column_names() {
  NameCollector collector;
  const Instance instance;
  fields(collector, instance);
  return std::move(collector.names);
}

template <class T>
T parse_number(const char* field, const std::string& text) {
  // Whole numbers may be written with an exponent too; they are exact far beyond any machine.
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool read = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  const bool fits = std::is_floating_point_v<T> || (value == std::floor(value) && std::abs(value) <= 9e15);
  const bool small = !std::is_same_v<T, int> || std::abs(value) <= 1e9;
  if (!read || !fits || !small) {
    throw Error(fmt::format("{} is '{}', which is not {}", field, text,
                            std::is_floating_point_v<T> ? "a number" : "a whole number"));
  }
  return static_cast<T>(value);
}

// The cells of one row by the names of their columns.
class CellReader {
 public:
  CellReader(const std::vector<std::string>& header, const CsvRow& row) : header_(header), row_(row) {}

  void operator()(const char* field, std::string& value) const { value = cell(field); }
  void operator()(const char* field, int& value) const {
    const std::string& text = cell(field);
    if (text.empty()) throw Error(fmt::format("{} is missing", field));
    value = parse_number<int>(field, text);
  }
  void operator()(const char* field, std::optional<GpuLinks>& value) const {
    if (const std::string& text = cell(field); !text.empty()) value = parse_gpu_links(text);
  }
  template <class T>
  void operator()(const char* field, std::optional<T>& value) const {
    if (const std::string& text = cell(field); !text.empty()) value = parse_number<T>(field, text);
  }

 private:
  const std::string& cell(const char* field) const {
    static const std::string kEmpty;
    const auto column = std::ranges::find(header_, field);
    return column == header_.end() ? kEmpty : row_.fields[static_cast<std::size_t>(column - header_.begin())];
  }

  const std::vector<std::string>& header_;
  const CsvRow& row_;
};

void check_header(const std::vector<std::string>& header, std::string_view source) {
  const std::vector<std::string> known = column_names();
  const std::vector<std::string_view> views(known.begin(), known.end());
  for (const std::string& column : header) {
    if (std::ranges::find(known, column) != known.end()) continue;
    const std::string_view near = nearest(column, views);
    throw Error(fmt::format(
        "{}: no column is called '{}'{}", source, column,
        near.empty() ? "; they are those of catalog/instances.csv" : fmt::format("; did you mean '{}'?", near)));
  }
}

}  // namespace

std::string instances_csv(std::span<const Instance> instances) {
  std::string text = fmt::format("{}\n", fmt::join(column_names(), ","));
  for (const Instance& instance : instances) {
    CellWriter writer;
    fields(writer, instance);
    text += writer.line();
  }
  return text;
}

Catalogue parse_instances(std::string_view text, std::string_view source) {
  CsvTable table = parse_csv(text, source);
  for (std::string& column : table.header) column = current_name(std::move(column));
  check_header(table.header, source);
  Catalogue catalogue;
  std::unordered_set<std::string> names;
  RowFaults faults;
  for (const CsvRow& row : table.rows) {
    Instance instance;
    try {
      CellReader reader(table.header, row);
      fields(reader, instance);
      check_instance(instance);
      if (!names.insert(lower_case(instance.name)).second) throw Error("this name is used twice");
      catalogue.instances.push_back(std::move(instance));
    } catch (const Error& error) {
      faults.add(row.line, instance.name, error.what());
    }
  }
  catalogue.warnings = faults.sentences(source);
  return catalogue;
}

}  // namespace stash
