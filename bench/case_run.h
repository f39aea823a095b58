#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stash/core/job.h"
#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash::bench {

// A small image data set of which the pipeline's own work is microseconds a sample, so that what is injected is all.
std::filesystem::path tiny_dataset(const std::filesystem::path& folder);
double mean_file_bytes(const std::filesystem::path& dataset);

// A job for the emulated accelerator with this data set.
Job make_job(const std::string& model, int image_size, int batch, const std::string& gpu, int ranks, int workers,
             const std::string& inject, const std::filesystem::path& dataset);

// `stash profile` on it, through the real program (`stash` is the entry script or the binary).
Profile run_profile(const std::filesystem::path& stash, const Job& job, const std::filesystem::path& out);

}  // namespace stash::bench
