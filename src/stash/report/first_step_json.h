#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

#include "stash/advise/first_step.h"
#include "stash/advise/tried_step.h"

namespace stash {

// The first with the others as its `alternatives`; null where there is none. docs/cli/report.md describes it.
nlohmann::ordered_json tried_json(const Tries& tries);      // null: nothing was asked for
nlohmann::ordered_json not_tried_json(const Tries& tries);  // the same
nlohmann::ordered_json first_step_json(std::span<const FirstStep> steps, std::optional<double> usd_per_hour);

}  // namespace stash
