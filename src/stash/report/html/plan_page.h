#pragma once

#include <string>

#include "stash/plan/gpt_answer.h"
#include "stash/plan/layer_answer.h"

namespace stash {

// One HTML document each: the verdict, the picture of layers over devices, what the plan is compared with and why.
std::string render_layer_plan_html(const LayerAnswer& answer);
std::string render_gpt_plan_html(const GptAnswer& answer);

}  // namespace stash
