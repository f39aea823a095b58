#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "stash/report/report.h"
#include "stash/share/sharing_plan.h"

namespace stash {

// One line: what sharing by need brings over an even split.
std::string sharing_verdict(const SharingPlan& plan);

// The page for people: verdict, a row for each job, idle cores, what was assumed.
std::string render_sharing_text(const SharingPlan& plan, const ReportOptions& options);

// One JSON object, ASCII; docs/cli/share.md describes it.
std::string render_sharing_json(const SharingPlan& plan);

nlohmann::ordered_json rate_json(const Rate& rate);  // per_s, low_per_s, high_per_s
std::string rate_text(const Rate& rate);             // "1,234 (1,200 to 1,270)"

}  // namespace stash
