#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace stash {

// Which column of a file of traffic holds what. Without a time, rows follow each other; without a count, a row is a
// request.
struct TraceHeader {
  std::optional<std::size_t> time{};
  std::optional<std::size_t> requests{};
  std::optional<std::size_t> peak_5s{};
  std::optional<std::size_t> service{};
  std::optional<std::size_t> in{}, out{};  // sizes of a request
  std::optional<double> slot_s{};          // where a name says it; else the distance of the rows
  std::optional<double> rate_s{};          // counts are per this time, whatever the distance of the rows
  std::optional<double> unit_s{};          // of a number in the time column, where its name says it
};

// Names in any case. Error, which begins with `source`, where there are neither times nor counts per second or minute.
TraceHeader read_trace_header(std::span<const std::string_view> names, std::string_view source);

}  // namespace stash
