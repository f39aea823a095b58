#include "stash/advise/wording.h"

#include <fmt/format.h>

#include <cmath>

#include "stash/core/units.h"

namespace stash {

namespace {

int price_digits(double usd) { return usd < 0.1 ? 4 : 2; }

int usd_digits(double usd) { return usd < 99.995 ? 2 : 0; }

}  // namespace

std::string format_usd(double usd) { return fmt::format("${:.{}f}", usd, usd_digits(usd)); }

std::string format_price(double usd) { return fmt::format("${:.{}f}", usd, price_digits(usd)); }

std::string price_at_most(double usd) {
  const double unit = std::pow(10, -price_digits(usd));
  return format_price(std::floor(usd / unit) * unit);
}

std::string usd_at_least(double usd) {
  const double unit = std::pow(10, -usd_digits(usd));
  return format_usd(std::ceil(usd / unit) * unit);
}

// Durations show at least three digits, minutes and hours from two on at least a hundredth of them.
std::string duration_at_least(double s) {
  if (s < 119.5) return format_duration(s * 1.005);
  const double unit = s < 119.5 * 60 ? 60 : s < 9.995 * 3600 ? 36 : s < 99.95 * 3600 ? 360 : 3600;
  return format_duration(std::ceil(s / unit) * unit);
}

}  // namespace stash
