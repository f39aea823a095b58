#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// A row of SkyPilot's vms.csv as it stands there; empty where there is nothing or no such column.
struct VmsRow {
  std::size_t line = 0;  // from 1
  std::string_view instance_type, accelerator_name, accelerator_count, vcpus, memory_gib, gpu_info, price, spot_price,
      region, availability_zone;
};

inline constexpr double kMostGpusOfVmsRow = 1024;  // no machine has as many; a row that tells of more is not taken

// Reads vms.csv of versions 7 and 8 row by row. Columns are found by their names; those of later versions are passed
// over. Memory does not grow with the file. `source` names it in messages.
class VmsReader {
 public:
  VmsReader(std::istream& input, std::string source);  // Error: the header lacks a column

  // False at the end. A line that is no row has `fault()` set, and of its fields those that were found. Views are
  // valid until the next call. Error: a line longer than any that the format has.
  bool next(VmsRow& row);
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  struct Column {
    const char* name;
    std::string_view VmsRow::* field;
    bool required;
  };
  static const std::vector<Column>& columns();

  bool next_line(std::span<char>& line);
  bool fill();
  void read_header();

  std::istream& input_;
  std::string source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what is in the buffer and not yet taken
  std::size_t end_ = 0;
  std::size_t line_ = 0;
  std::vector<std::string_view> fields_;
  std::vector<std::string_view VmsRow::*> targets_;  // by column; nullptr: passed over
  std::optional<std::string> fault_;
};

}  // namespace stash
