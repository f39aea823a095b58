#pragma once

#include <optional>
#include <string>

#include "stash/predict/predict_job.h"

namespace stash {

// That a GPU needs to train the job, roughly, among so many ranks. Of a script's shards the peak that was seen on a GPU
// counts, where there is one.
double memory_bytes(const PredictJob& job, int ranks);

// Why a GPU cannot train the job, as a clause that follows on "it"; empty: it can, or its memory is not known.
std::string why_no_fit(const PredictJob& job, const Gpu& gpu, std::optional<double> gpu_memory_bytes, int ranks = 1);

// What is to be said where frameworks that use buffers again may just fit the job in; nullopt: it fits.
std::optional<std::string> fit_doubt(const PredictJob& job, std::optional<double> gpu_memory_bytes, int ranks = 1);

}  // namespace stash
