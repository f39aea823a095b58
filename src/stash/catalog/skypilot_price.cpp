#include "stash/catalog/skypilot_price.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace stash {

bool is_us_region(std::string_view region) {
  if (region.starts_with("us-gov") || region.starts_with("usgov")) return false;
  if (region.starts_with("us-")) return true;
  while (!region.empty() && region.back() >= '0' && region.back() <= '9') region.remove_suffix(1);
  return region == "us" || (region.ends_with("us") && region.find('-') == std::string_view::npos);
}

bool is_better(const SkypilotPrice& a, const SkypilotPrice& b) {
  const bool a_us = is_us_region(a.region), b_us = is_us_region(b.region);
  if (a_us != b_us) return a_us;
  if (a.usd_per_h != b.usd_per_h) return a.usd_per_h < b.usd_per_h;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return a.spot_usd_per_h.value_or(kNone) < b.spot_usd_per_h.value_or(kNone);
}

std::optional<double> parse_figure(std::string_view text) {
  constexpr double kLargest = 1e9;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value) || value <= 0 || value > kLargest) return std::nullopt;
  return value;
}

}  // namespace stash
