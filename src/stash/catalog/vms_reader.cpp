#include "stash/catalog/vms_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stash/core/error.h"

namespace stash {
namespace {

// A row of any cloud has up to 600 bytes.
constexpr std::size_t kLongestLine = 64 << 10;
constexpr std::size_t kMostColumns = 256;

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
  std::string_view line;
  if (!next_line(line)) throw Error(fmt::format("{} is empty; it needs SkyPilot's header and rows", source_));
  if (!split(static_cast<std::size_t>(line.data() - buffer_.data()), line.size())) {
    throw Error(fmt::format("{} line 1: {}", source_, *fault_));
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
  std::string_view line;
  do {
    if (!next_line(line)) return false;
  } while (line.empty());
  row = {};
  row.line = line_;
  fault_.reset();
  const bool whole = split(static_cast<std::size_t>(line.data() - buffer_.data()), line.size());
  if (whole && fields_.size() != targets_.size()) {
    fault_ = fmt::format("it has {} fields where the header has {}", fields_.size(), targets_.size());
  }
  for (std::size_t i = 0; i < std::min(fields_.size(), targets_.size()); ++i) {
    if (targets_[i] != nullptr) row.*targets_[i] = fields_[i];
  }
  return true;
}

bool VmsReader::next_line(std::string_view& line) {
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
    line = {buffer_.data() + begin_, stop - begin_};
    begin_ = std::min(stop + 1, end_);
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
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

// The line's fields; false with a fault. Quotes are taken off in place.
bool VmsReader::split(std::size_t begin, std::size_t size) {
  fields_.clear();
  const std::size_t end = begin + size;
  for (std::size_t at = begin;; ++at) {
    if (fields_.size() == kMostColumns) {
      fault_ = fmt::format("it has more than {} fields", kMostColumns);
      return false;
    }
    if (at < end && buffer_[at] == '"') {
      fields_.push_back(take_quoted(at, end));
      if (fault_) return false;
    } else {
      const void* comma = std::memchr(buffer_.data() + at, ',', end - at);
      const std::size_t stop =
          comma == nullptr ? end : static_cast<std::size_t>(static_cast<const char*>(comma) - buffer_.data());
      fields_.emplace_back(buffer_.data() + at, stop - at);
      at = stop;
    }
    if (at >= end) return true;
  }
}

std::string_view VmsReader::take_quoted(std::size_t& at, std::size_t end) {
  const std::size_t start = at + 1;
  std::size_t written = start;
  for (at = start; at < end; ++at) {
    if (buffer_[at] == '"') {
      const bool doubled = at + 1 < end && buffer_[at + 1] == '"';
      if (!doubled) {
        ++at;
        if (at < end && buffer_[at] != ',') fault_ = "something follows a quoted field; a comma must";
        return {buffer_.data() + start, written - start};
      }
      ++at;
    }
    buffer_[written++] = buffer_[at];
  }
  fault_ = "a quote is never closed";
  return {};
}

}  // namespace stash
