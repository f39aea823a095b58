#pragma once

#include <string>

#include "stash/plan/gpt_answer.h"
#include "stash/report/report.h"

namespace stash {

std::string plan_text(const GptPlan& plan);  // "data 32 x tensor 4 x pipeline 4"

// One line: the best plan and its step, or which machines are best left out.
std::string gpt_plan_verdict(const GptAnswer& answer);

// The page for people: verdict, the best plans, where the time of the best goes, what it is compared with, what binds
// it and what more of each resource would bring, what does not fit.
std::string render_gpt_plan_text(const GptAnswer& answer, const ReportOptions& options);

// One JSON object, ASCII; docs/cli/plan.md describes it.
std::string render_gpt_plan_json(const GptAnswer& answer);

}  // namespace stash
