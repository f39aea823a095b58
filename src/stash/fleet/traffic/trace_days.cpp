#include "stash/fleet/traffic/trace_days.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kDay_s = 86400;

std::optional<int> day_in(std::string_view text) {
  int day = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), day);
  return error == std::errc() && end == text.data() + text.size() && day > 0 ? std::optional(day) : std::nullopt;
}

}  // namespace

TraceSpan parse_trace_days(std::string_view days, const LoadTrace& trace) {
  if (days.empty()) return {0, trace.duration_s()};
  const std::size_t dash = days.find('-');
  const auto first = day_in(days.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : day_in(days.substr(dash + 1));
  if (!first || !last || *last < *first) {
    throw UsageError(fmt::format("--days '{}' must be a day like 3, or days like 3-7", days));
  }
  const double held = std::ceil(trace.duration_s() / kDay_s);
  if (*last > held)
    throw UsageError(fmt::format("--days {}: the trace has {:g} day{}", days, held, held > 1 ? "s" : ""));
  return {(*first - 1) * kDay_s, std::min(*last * kDay_s, trace.duration_s())};
}

LoadTrace only_span(LoadTrace trace, const TraceSpan& span) {
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const double begin_s = static_cast<double>(i) * trace.slot_s;
    if (begin_s >= span.from_s && begin_s < span.to_s) continue;
    trace.holes.resize(trace.requests.size());
    trace.holes[i] = true;
    trace.requests[i] = 0;
    if (!trace.peak_5s.empty()) trace.peak_5s[i] = 0;
  }
  return trace;
}

}  // namespace stash
