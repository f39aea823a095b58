#pragma once

#include <string>
#include <string_view>

#include "stash/plan/gpt_answer.h"

namespace stash {

// What the best plan is written for.
enum class PlanExport { json, dtensor, torchtitan, megatron };
PlanExport parse_plan_export(std::string_view name);  // UsageError names the nearest
std::string_view to_string(PlanExport target);
std::string plan_export_names();  // "json|dtensor|torchtitan|megatron"

std::string export_plan(const GptAnswer& answer, PlanExport target);

// A Python module that splits a model with torch: PLAN, and functions that carry it out.
std::string dtensor_module(const GptAnswer& answer);
std::string torchtitan_settings(const GptAnswer& answer);  // TOML
std::string megatron_arguments(const GptAnswer& answer);   // of pretrain_gpt.py, one flag with its value per line

extern const std::string_view kDtensorPlan;  // dtensor_plan.py, which is part of the program

}  // namespace stash
