#pragma once

#include <optional>
#include <string_view>

namespace stash {

// A moment as a file spells it: a number, or an ISO date with a time.
struct TraceTime {
  double s = 0;  // a number as it is; a date in UTC, or on its own clock where it names no zone
  bool is_date = false;
  std::optional<int> zone_s{};  // east of UTC; nullopt: none is named
};

// 12.5, 2021-08-01, 2021-08-01 00:01, 2021-08-01T00:01:02.25Z, 2021-08-01T00:01:02+02:00. Nullopt for anything else.
std::optional<TraceTime> parse_trace_time(std::string_view text);

}  // namespace stash
