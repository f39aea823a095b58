#include "stash/core/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "stash/core/error.h"

namespace stash {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kDurations{Unit{"s", 1},     Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"µs", 1e-6},
                                Unit{"ns", 1e-9}, Unit{"m", 60},    Unit{"min", 60},  Unit{"h", 3600}};
constexpr std::array kBytes{Unit{"", 1},
                            Unit{"B", 1},
                            Unit{"kB", 1e3},
                            Unit{"KB", 1e3},
                            Unit{"MB", 1e6},
                            Unit{"GB", 1e9},
                            Unit{"TB", 1e12},
                            Unit{"KiB", 1024},
                            Unit{"MiB", 1048576.},
                            Unit{"GiB", 1073741824.},
                            Unit{"TiB", 1099511627776.}};
constexpr std::array kRates{Unit{"B/s", 1},          Unit{"kB/s", 1e3},       Unit{"KB/s", 1e3},
                            Unit{"MB/s", 1e6},       Unit{"GB/s", 1e9},       Unit{"TB/s", 1e12},
                            Unit{"KiB/s", 1024},     Unit{"MiB/s", 1048576.}, Unit{"GiB/s", 1073741824.},
                            Unit{"bit/s", 1. / 8},   Unit{"kbit/s", 1e3 / 8}, Unit{"Mbit/s", 1e6 / 8},
                            Unit{"Gbit/s", 1e9 / 8}, Unit{"Tbit/s", 1e12 / 8}};
constexpr std::array kRatios{Unit{"", 1}, Unit{"%", 0.01}};

// A number that is not negative, then a unit of the table; a space may stand between them.
std::optional<double> parse(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& unit : units) {
    if (unit.name == text) return value * unit.factor;
  }
  return std::nullopt;
}

double parse_or_throw(std::string_view text, std::string_view option, std::span<const Unit> units,
                      std::string_view kind, std::string_view examples) {
  const std::optional<double> value = parse(text, units);
  if (value && std::isfinite(*value)) return *value;
  throw UsageError(fmt::format("{} takes {}, not '{}'; write it like {}", option, kind, text, examples));
}

// Three digits that mean something, no exponent: "412", "37.2", "1.94".
std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

// Finite dollars; nullopt for a text that is none.
std::optional<double> usd_in(std::string_view text) {
  if (text.starts_with('$')) text.remove_prefix(1);
  if (text.ends_with("USD") || text.ends_with("usd")) text.remove_suffix(3);
  double usd = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), usd);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(usd)) return std::nullopt;
  return usd;
}

}  // namespace

double parse_duration_s(std::string_view text, std::string_view option) {
  return parse_or_throw(text, option, kDurations, "a duration", "30ms, 120s or 24h");
}

double parse_usd(std::string_view text, std::string_view option) {
  if (const auto usd = usd_in(text); usd && *usd > 0) return *usd;
  throw UsageError(fmt::format("{} takes dollars above 0, not '{}'; write it like 5usd or 499.50", option, text));
}

double parse_usd_or_0(std::string_view text, std::string_view option) {
  if (const auto usd = usd_in(text); usd && *usd >= 0) return *usd;
  throw UsageError(fmt::format("{} takes dollars, 0 or more, not '{}'; write it like 5usd or 0.11", option, text));
}

double parse_ratio(std::string_view text, std::string_view option) {
  return parse_or_throw(text, option, kRatios, "a share", "2% or 0.02");
}

double parse_bytes_per_s(std::string_view text, std::string_view option) {
  return parse_or_throw(text, option, kRates, "a rate", "20MB/s or 1Gbit/s");
}

std::int64_t parse_bytes(std::string_view text, std::string_view option) {
  const double bytes = parse_or_throw(text, option, kBytes, "a size", "110kB or 2GiB");
  if (bytes >= 0x1p63) throw UsageError(fmt::format("{}: '{}' is more bytes than can be counted", option, text));
  return std::llround(bytes);
}

std::string format_duration(double s) {
  const double size = std::abs(s);
  if (!std::isfinite(s)) return "unknown";
  if (s == 0) return "0 s";
  if (size < 999.5e-6) return three_digits(s * 1e6) + " µs";
  if (size < 999.5e-3) return three_digits(s * 1e3) + " ms";
  if (size < 119.5) return three_digits(s) + " s";
  if (size < 119.5 * 60) return fmt::format("{:.0f} min", s / 60);
  return three_digits(s / 3600) + " h";
}

// Durations show at least three digits, minutes and hours from two on at least a hundredth of them.
std::string duration_at_least(double s) {
  if (s < 119.5) return format_duration(s * 1.005);
  const double unit = s < 119.5 * 60                ? 60
                      : s < 9.995 * kSecondsPerHour ? 36
                      : s < 99.95 * kSecondsPerHour ? 360
                                                    : kSecondsPerHour;
  return format_duration(std::ceil(s / unit) * unit);
}

std::string format_bytes(double bytes) {
  constexpr std::array kNames{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 999.5 && unit + 1 < kNames.size()) {
    bytes /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", bytes);
  return fmt::format("{:.{}f} {}", bytes, std::abs(bytes) < 9.95 ? 1 : 0, kNames[unit]);
}

std::string format_count(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t place = text.size(); place > first + 3; place -= 3) text.insert(place - 3, 1, ',');
  return text;
}

}  // namespace stash
