#pragma once

#include <string>

namespace stash {

// Dollars with the digits that suit them. Every page writes prices with these.
std::string format_usd(double usd);         // of a whole training: "$646", "$12.10"
std::string format_price(double usd);       // of an hour: "$24.48", "$0.0210"
std::string format_price_cell(double usd);  // the same without the sign, for columns that name the unit

// Thresholds, rounded to the side on which they still hold.
std::string price_at_most(double usd);
std::string usd_at_least(double usd);

}  // namespace stash
