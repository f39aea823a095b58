#include "stash/core/price.h"

#include <fmt/format.h>

#include <cmath>

namespace stash {

namespace {

int price_digits(double usd) { return usd < 0.1 ? 4 : 2; }

int usd_digits(double usd) { return usd < 99.995 ? 2 : 0; }

}  // namespace

std::string format_usd(double usd) { return fmt::format("${:.{}f}", usd, usd_digits(usd)); }

std::string format_price(double usd) { return "$" + format_price_cell(usd); }

std::string format_price_cell(double usd) { return fmt::format("{:.{}f}", usd, price_digits(usd)); }

std::string price_at_most(double usd) {
  const double unit = std::pow(10, -price_digits(usd));
  return format_price(std::floor(usd / unit) * unit);
}

std::string usd_at_least(double usd) {
  const double unit = std::pow(10, -usd_digits(usd));
  return format_usd(std::ceil(usd / unit) * unit);
}

}  // namespace stash
