#include "case_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/input/dataset/make_dataset.h"
#include "stash/launch/process/subprocess.h"

namespace stash::bench {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

fs::path tiny_dataset(const fs::path& folder) {
  const fs::path path = folder / "tiny-images";
  if (fs::exists(path)) return path;
  const fs::path part = folder / "tiny-images.part";
  fs::remove_all(part);
  make_image_dataset(part, {.images = 4096, .width = 32, .height = 32, .classes = 10, .seed = 1});
  // All of one size: the slowest of several ranks would otherwise be the one that drew the larger files.
  std::uintmax_t largest_bytes = 0;
  for (const fs::path& file : files_in(part)) largest_bytes = std::max(largest_bytes, fs::file_size(file));
  for (const fs::path& file : files_in(part)) fs::resize_file(file, largest_bytes);
  fs::rename(part, path);
  return path;
}

double mean_file_bytes(const fs::path& dataset) {
  const std::vector<fs::path> files = files_in(dataset);
  double bytes = 0;
  for (const fs::path& file : files) bytes += static_cast<double>(fs::file_size(file));
  return bytes / static_cast<double>(files.size());
}

Job make_job(const std::string& model, int image_size, int batch, const std::string& gpu, int ranks, int workers,
             const std::string& inject, const fs::path& dataset) {
  Job job;
  job.model = model;
  job.image_size = image_size;
  job.batch = batch;
  job.device = JobDevice::emulated(gpu);
  job.ranks = ranks;
  job.workers = workers;
  job.inject = parse_injection(inject);
  job.data = dataset.string();
  return job;
}

Profile run_profile(const fs::path& stash, const Job& job, const fs::path& out) {
  std::vector<std::string> conditions;
  for (const Condition condition : job.conditions) conditions.emplace_back(to_string(condition));
  Command command;
  command.arguments = {stash.string(), "profile",
                       "--model",      job.model,
                       "--image-size", std::to_string(job.image_size),
                       "--batch",      std::to_string(job.batch),
                       "--device",     job.device.text(),
                       "--ranks",      std::to_string(job.ranks),
                       "--workers",    std::to_string(job.workers),
                       "--data",       job.data,
                       "--precision",  fmt::format("{}", job.precision_ratio),
                       "--max-time",   fmt::format("{}s", job.max_time_s),
                       "--rounds",     std::to_string(job.rounds),
                       "--seed",       std::to_string(job.seed),
                       "--out",        out.string()};
  if (!job.inject.empty()) command.arguments.insert(command.arguments.end(), {"--inject", to_string(job.inject)});
  if (!conditions.empty()) {
    command.arguments.insert(command.arguments.end(), {"--conditions", fmt::format("{}", fmt::join(conditions, ","))});
  }
  const CommandResult result = run_command(command);
  if (!result.succeeded()) throw Error(fmt::format("stash profile failed: {}", result.errors));
  return read_profile(out);
}

}  // namespace stash::bench
