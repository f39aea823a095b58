#include "stash/catalog/vms_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stash/catalog/csv.h"
#include "stash/core/error.h"

namespace stash {
namespace {

// A row of any cloud has up to 600 bytes.
constexpr std::size_t kLongestLine = 64 << 10;

}  // namespace

const std::vector<VmsReader::Column>& VmsReader::columns() {
  static const std::vector<Column> kColumns{
      {"InstanceType", &VmsRow::instance_type, true},
      {"AcceleratorName", &VmsRow::accelerator_name, true},
      {"AcceleratorCount", &VmsRow::accelerator_count, true},
      {"vCPUs", &VmsRow::vcpus, true},
      {"MemoryGiB", &VmsRow::memory_gib, true},
      {"Price", &VmsRow::price, true},
      {"Region", &VmsRow::region, true},
      {"GpuInfo", &VmsRow::gpu_info, false},
      {"SpotPrice", &VmsRow::spot_price, false},
      {"AvailabilityZone", &VmsRow::availability_zone, false},
  };
  return kColumns;
}

VmsReader::VmsReader(std::istream& input, std::string source)
    : input_(input), source_(std::move(source)), buffer_(2 * kLongestLine) {
  read_header();
}

void VmsReader::read_header() {
  std::span<char> line;
  if (!next_line(line)) throw Error(fmt::format("{} is empty; it needs SkyPilot's header and rows", source_));
  if (const std::string fault = split_csv_line(line, fields_); !fault.empty()) {
    throw Error(fmt::format("{} line 1: {}", source_, fault));
  }
  targets_.resize(fields_.size(), nullptr);
  for (const Column& column : columns()) {
    const auto found = std::ranges::find(fields_, column.name);
    if (found != fields_.end()) {
      targets_[static_cast<std::size_t>(found - fields_.begin())] = column.field;
    } else if (column.required) {
      throw Error(
          fmt::format("{} has no column '{}': it is not SkyPilot's vms.csv of version 7 or 8", source_, column.name));
    }
  }
}

bool VmsReader::next(VmsRow& row) {
  std::span<char> line;
  do {
    if (!next_line(line)) return false;
  } while (line.empty());
  row = {};
  row.line = line_;
  fault_.reset();
  if (std::string fault = split_csv_line(line, fields_); !fault.empty()) {
    fault_ = std::move(fault);
  } else if (fields_.size() != targets_.size()) {
    fault_ = fmt::format("it has {} fields where the header has {}", fields_.size(), targets_.size());
  }
  for (std::size_t i = 0; i < std::min(fields_.size(), targets_.size()); ++i) {
    if (targets_[i] != nullptr) row.*targets_[i] = fields_[i];
  }
  return true;
}

bool VmsReader::next_line(std::span<char>& line) {
  for (std::size_t searched = begin_;;) {
    const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    if (found == nullptr) {
      searched = end_ - begin_;
      if (searched > kLongestLine) {
        throw Error(fmt::format("{} line {} is longer than {} bytes; is it SkyPilot's vms.csv?", source_, line_ + 1,
                                kLongestLine));
      }
      if (fill()) continue;
      if (begin_ == end_) return false;
    }
    const std::size_t stop =
        found == nullptr ? end_ : static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
    line = std::span(buffer_).subspan(begin_, stop - begin_);
    begin_ = std::min(stop + 1, end_);
    ++line_;
    if (!line.empty() && line.back() == '\r') line = line.first(line.size() - 1);
    return true;
  }
}

// Moves what is left to the front and reads on; false at the end of the file.
bool VmsReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  input_.read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
  const auto count = static_cast<std::size_t>(input_.gcount());
  if (input_.bad()) throw Error(fmt::format("cannot read {} after line {}", source_, line_));
  end_ += count;
  return count > 0;
}

}  // namespace stash
