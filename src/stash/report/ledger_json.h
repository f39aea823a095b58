#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// null where the value is unknown or not finite.
nlohmann::ordered_json json_number(std::optional<double> value);

nlohmann::ordered_json estimate_json(const Estimate& estimate);  // s, low_s, high_s

// The ledger as docs/cli/report.md describes it. `usd_per_hour` adds dollars to the parts. Without a profile, as where
// the ledger is predicted, hosts and the reasons of absent parts are null.
nlohmann::ordered_json ledger_json(const Ledger& ledger, std::optional<double> usd_per_hour, const Profile* profile);

}  // namespace stash
