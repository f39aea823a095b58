#include "stash/core/fix.h"

#include <fmt/format.h>

#include <charconv>

namespace stash {
namespace {

bool has_value(FixKind kind) { return kind != FixKind::half_gradients && kind != FixKind::pinned; }

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::string_view to_string(FixKind kind) {
  switch (kind) {
    case FixKind::half_gradients:
      return "half_gradients";
    case FixKind::bucket:
      return "bucket";
    case FixKind::workers:
      return "workers";
    case FixKind::prefetch:
      return "prefetch";
    case FixKind::pinned:
      return "pinned";
    case FixKind::no_delay:
      return "no_delay";
  }
  return "";
}

std::string fix_variant(const Fix& fix) {
  if (has_value(fix.kind)) return fmt::format("{}:{}", to_string(fix.kind), fix.value);
  if (fix.group.empty()) return std::string(to_string(fix.kind));
  return fmt::format("{}:{}", to_string(fix.kind), fix.group);
}

std::optional<Fix> fix_of(std::string_view variant) {
  const std::size_t colon = variant.find(':');
  const std::string_view rest = colon == std::string_view::npos ? "" : variant.substr(colon + 1);
  for (const FixKind kind : kFixKinds) {
    if (variant.substr(0, colon) != to_string(kind)) continue;
    if (!has_value(kind)) return Fix{.kind = kind, .group = std::string(rest)};
    const std::optional<std::int64_t> value = whole_number(rest);
    if (value) return Fix{.kind = kind, .value = *value};
  }
  return std::nullopt;
}

}  // namespace stash
