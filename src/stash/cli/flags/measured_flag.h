#pragma once

#include <span>
#include <string_view>

#include "stash/catalog/instance.h"
#include "stash/predict/predict_job.h"

namespace stash {

// "p3.16xlarge=210ms" on one GPU, "p3.16xlarge:8=300ms" on eight; more than a machine has are several machines.
// UsageError says what is wrong with it.
MeasuredStep parse_measured_step(std::string_view text, std::span<const Instance> instances);

}  // namespace stash
