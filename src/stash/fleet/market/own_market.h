#pragma once

#include <filesystem>
#include <string_view>

#include "stash/catalog/instance.h"
#include "stash/fleet/market/market.h"

namespace stash {

// A market that a user wrote. TOML: [[machine]] with its price and either T(b) (`batches`), what it takes
// (`requests_per_min` with `batch`) or a file of `stash serve bench` (`measured`, beside this one); [[function]]. CSV:
// the columns machine, usd_per_hour and either batch and latency_ms or requests_per_min; rows of one machine are
// batches of it. UsageError names line and key. docs/cli/fleet.md lists the keys.
Market own_market_from_toml(std::string_view text, const std::filesystem::path& file);
Market own_market_from_csv(std::string_view text, std::string_view source);

// A file in any of the forms that a market has: those, JSON as market_file.h has it.
Market read_any_market(const std::filesystem::path& file);

// The machine that `stash serve bench` measured, at the price of `instance`, which it was.
Market measured_market(const std::filesystem::path& bench, const Instance& instance);

}  // namespace stash
