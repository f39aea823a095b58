#include "stash/core/trace.h"

#include <fmt/format.h>

#include "stash/core/json_keys.h"
#include "stash/core/profile_fields.h"
#include "stash/core/profile_json.h"

namespace stash {

std::string_view to_string(SpanKind kind) {
  switch (kind) {
    case SpanKind::step:
      return "step";
    case SpanKind::input_wait:
      return "input_wait";
    case SpanKind::copy:
      return "copy";
    case SpanKind::forward:
      return "forward";
    case SpanKind::backward:
      return "backward";
    case SpanKind::optimizer:
      return "optimizer";
    case SpanKind::compute:
      return "compute";
    case SpanKind::collective:
      return "collective";
  }
  return "compute";
}

namespace json_fields {

namespace {

// Of a window, and far more than any takes: what is added to it stays in range.
constexpr std::int64_t kLongest_us = 1'000'000'000'000;
constexpr std::size_t kPlainValues = 3, kCollectiveValues = 5, kGroupedValues = 6;

void read_kind(const Json& json, const Path& path, SpanKind& kind) {
  std::string name;
  read(json, path, name);
  for (const SpanKind known : kSpanKinds) {
    if (to_string(known) == name) {
      kind = known;
      return;
    }
  }
  fail(path, fmt::format("is '{}', which is no kind of span", name.substr(0, 40)));
}

void read_count(const Json& json, const Path& path, std::int64_t most, std::int64_t& value) {
  read(json, path, value);
  if (value < 0 || value > most) fail(path, fmt::format("is {}; it must be from 0 to {}", value, most));
}

}  // namespace

// There are thousands of them: without keys, and only a collective has its bytes and its name.
Json write(const Span& span) {
  Json array = empty_array();
  push(array, std::string(to_string(span.kind)));
  push(array, span.start_us);
  push(array, span.length_us);
  if (span.kind != SpanKind::collective) return array;
  push(array, span.bytes);
  push(array, span.op);
  if (!span.group.empty()) push(array, span.group);
  return array;
}

void read(const Json& json, const Path& path, Span& span) {
  const std::vector<Json>& values = elements(json, path);
  const auto at = [&](std::size_t index) { return Path{&path, {}, index}; };
  if (values.empty()) fail(path, "is an empty span");
  read_kind(values[0], at(0), span.kind);
  const std::size_t wanted = span.kind == SpanKind::collective ? kCollectiveValues : kPlainValues;
  const bool grouped = span.kind == SpanKind::collective && values.size() == kGroupedValues;
  if (values.size() != wanted && !grouped)
    fail(path, fmt::format("has {} values; a span of its kind has {}", values.size(), wanted));
  read_count(values[1], at(1), kLongest_us, span.start_us);
  read_count(values[2], at(2), kLongest_us, span.length_us);
  if (span.kind != SpanKind::collective) return;
  read_count(values[3], at(3), INT64_MAX, span.bytes);
  read(values[4], at(4), span.op);
  if (grouped) read(values[5], at(5), span.group);
}

}  // namespace json_fields

namespace json_fields {

Json write(const WindowTrace& trace) { return write<WindowTrace>(trace); }
void read(const Json& json, const Path& path, WindowTrace& trace) { read<WindowTrace>(json, path, trace); }

}  // namespace json_fields

void list_fields(KeyLister& lister, const WindowTrace& trace) { fields(lister, trace); }

nlohmann::json to_json(const RankTrace& trace) { return json_fields::write(trace); }

RankTrace rank_trace_from_json(const nlohmann::json& json) {
  RankTrace trace;
  json_fields::read(json, json_fields::Path{nullptr, "trace"}, trace);
  return trace;
}

}  // namespace stash
