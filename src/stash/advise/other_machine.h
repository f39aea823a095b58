#pragma once

#include <functional>
#include <optional>
#include <span>

#include "stash/advise/job_facts.h"
#include "stash/predict/predict.h"

namespace stash {

using StepTimer = std::function<double(const Setting&)>;  // seconds of a step, simulated

// The same number of GPUs of the same kind, on no more nodes than now, on the machine of the catalogue that saves
// enough for the least money; nullopt: none saves anything. `here` is the machine as it is.
std::optional<FirstStep> on_another_machine(const JobFacts& facts, const Stall& stall, const PredictJob& job,
                                            const Setting& here, const StepTimer& step_s,
                                            std::span<const Instance> instances);

}  // namespace stash
