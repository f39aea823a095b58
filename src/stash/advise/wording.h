#pragma once

#include <string>

namespace stash {

std::string format_usd(double usd);    // of a whole training: "$646", "$12.10"
std::string format_price(double usd);  // of an hour: "$24.48", "$0.0210"

// Thresholds, rounded to the side on which they still hold.
std::string price_at_most(double usd);
std::string usd_at_least(double usd);
std::string duration_at_least(double s);

}  // namespace stash
