#pragma once

#include <optional>
#include <string>

namespace stash {

// What cells of the tables for people show.
inline constexpr const char* kUnknown = "–";

std::string usd_cell(std::optional<double> usd);  // "12.50", below ten cents "0.0125"; no sign

}  // namespace stash
