#include "stash/fleet/traffic/trace_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 13> kCountNames{
    "requests", "request",      "count",         "counts",         "hits", "invocations",   "calls",
    "queries",  "num_requests", "request_count", "requests_count", "n",    "total_requests"};
constexpr std::array<std::string_view, 7> kPerSecondNames{
    "rps", "qps", "requests_per_second", "requests_per_s", "per_second", "requests/s", "queries_per_second"};
constexpr std::array<std::string_view, 5> kPerMinuteNames{"rpm", "requests_per_minute", "requests_per_min",
                                                          "per_minute", "requests/min"};
constexpr std::array<std::string_view, 5> kTimeBeginnings{"time", "arrival", "second", "minute", "date"};
constexpr std::array<std::string_view, 4> kTimeNames{"ts", "t", "at", "start_time"};
constexpr std::array<std::string_view, 4> kServiceNames{"service", "model", "app", "function"};
constexpr std::array<std::string_view, 5> kInNames{"context_tokens", "contexttokens", "input_tokens", "prompt_tokens",
                                                   "input_size"};
constexpr std::array<std::string_view, 4> kOutNames{"generated_tokens", "generatedtokens", "output_tokens",
                                                    "output_size"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_time(std::string_view name) {
  return is_one_of(name, kTimeNames) ||
         std::ranges::any_of(kTimeBeginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

std::string plain_name(std::string_view name) {
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  std::string plain = lower_case(name);
  std::ranges::replace(plain, ' ', '_');
  return plain;
}

void set_unit(TraceHeader& header, std::string_view name) {
  if (name.ends_with("_ms")) header.unit_s = 1e-3;
  if (name.ends_with("_us")) header.unit_s = 1e-6;
  if (name.ends_with("_ns")) header.unit_s = 1e-9;
  if (name.ends_with("_s") || name.starts_with("second")) header.unit_s = 1;
  if (name.starts_with("minute")) header.unit_s = 60;
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void take_name(TraceHeader& header, const std::string& name, std::size_t column) {
  if (!header.requests && is_one_of(name, kCountNames)) header.requests = column;
  if (!header.requests && (is_one_of(name, kPerSecondNames) || is_one_of(name, kPerMinuteNames))) {
    header.requests = column;
    header.rate_s = is_one_of(name, kPerSecondNames) ? 1 : 60;
  }
  if (!header.peak_5s && name.starts_with("peak_5s")) header.peak_5s = column;
  if (!header.service && is_one_of(name, kServiceNames)) header.service = column;
  if (!header.in && is_one_of(name, kInNames)) header.in = column;
  if (!header.out && is_one_of(name, kOutNames)) header.out = column;
  if (header.time || !is_time(name)) return;
  header.time = column;
  set_unit(header, name);
  if (name.starts_with("minute")) header.slot_s = 60;
  if (name == "second" || name == "seconds") header.slot_s = 1;
}

}  // namespace

TraceHeader read_trace_header(std::span<const std::string_view> names, std::string_view source) {
  TraceHeader header;
  bool all_numbers = true;
  std::string shown;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all_numbers = all_numbers && is_number(names[i]);
    shown += fmt::format("{}{}", shown.empty() ? "" : ", ", names[i].substr(0, 30));
    take_name(header, plain_name(names[i]), i);
  }
  if (all_numbers) {
    throw Error(fmt::format("{}, line 1: the first line must name the columns, like minute,requests", source));
  }
  if (!header.requests && header.time && header.slot_s == 60.0) {
    throw Error(fmt::format("{}: minutes without a column of counts: name it requests (the columns are {})", source,
                            shown.substr(0, 120)));
  }
  if (!header.time && !header.rate_s) {
    throw Error(
        fmt::format("{}: no column of times (timestamp, time, date, seconds) nor of counts per second or minute "
                    "(minute,requests; second,requests; requests_per_minute); the columns are {}",
                    source, shown.substr(0, 120)));
  }
  if (!header.requests) header.slot_s = 1;
  if (!header.time) header.slot_s = header.rate_s;
  return header;
}

}  // namespace stash
