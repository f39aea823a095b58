#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "stash/fleet/market/market.h"

namespace stash {

// A market as JSON, with the fields of Market. Reading names the field at fault; what is missing and has a default
// keeps it. A price that is missing, or is 0, is an Error: nothing is free.
std::string market_text(const Market& market);
Market market_from_text(std::string_view text, std::string_view source);
Market read_market(const std::filesystem::path& file);

}  // namespace stash
