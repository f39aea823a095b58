#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string_view>

#include "stash/serve/load/planned_arrivals.h"

namespace stash {

struct TraceOptions {
  double scale = 1;          // requests are taken this often: 0.1 is every tenth, at random; 2 is each twice
  double duration_s = 1e18;  // from the first row on
  std::uint64_t seed = 1;
};

// Recorded traffic: a CSV whose header tells what it holds. Counts: a column "second" or "minute" and a column
// "requests" (or "count"); arrivals are drawn evenly within each period, and a period that is missing has none. Times:
// a column that begins with "time", "arrival" or "second", in seconds unless its name ends in _ms, _us or _ns. The plan
// begins with the first row. Error names the line at fault.
ArrivalPlan read_arrivals(std::istream& csv, std::string_view source, const TraceOptions& options);
ArrivalPlan read_arrivals(const std::filesystem::path& file, const TraceOptions& options);

}  // namespace stash
