#pragma once

#include <string>

#include "stash/plan/gpt_answer.h"
#include "stash/plan/layer_answer.h"

namespace stash {

// Layers down, devices across: a strip for each level, coloured by type, wider for the part that gets more; at the
// right milliseconds and bytes.
std::string layers_over_devices(const LayerAnswer& answer);

// Layers down, stages across, coloured by machine; at the right what each stage takes.
std::string stages_over_devices(const GptAnswer& answer);

}  // namespace stash
