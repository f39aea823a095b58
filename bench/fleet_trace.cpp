#include "fleet_trace.h"

#include "stash/core/file.h"
#include "stash/fleet/market/market_rows.h"

namespace stash {

LoadTrace read_minutes(const std::filesystem::path& path) {
  const NamedRows rows(read_file(path, std::size_t{1} << 28), path.string());
  LoadTrace trace{.slot_s = 60, .requests = {}, .holes = {}};
  for (std::size_t i = 0; i < rows.count(); ++i) {
    trace.requests.push_back(static_cast<std::uint32_t>(rows.number(i, "requests").value_or(0)));
    trace.peak_5s.push_back(static_cast<std::uint32_t>(rows.number(i, "peak_5s_requests").value_or(0)));
    trace.holes.push_back(rows.number(i, "zero_seconds").value_or(0) >= 30);
  }
  return trace;
}

}  // namespace stash
