#include "case_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/input/make_dataset.h"
#include "stash/launch/subprocess.h"

namespace stash::bench {

namespace fs = std::filesystem;

fs::path tiny_dataset(const fs::path& folder) {
  const fs::path path = folder / "tiny-images";
  if (!fs::exists(path)) make_image_dataset(path, {.images = 4096, .width = 32, .height = 32, .classes = 10, .seed = 1});
  return path;
}

double mean_file_bytes(const fs::path& dataset) {
  double bytes = 0, files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(dataset)) {
    if (!entry.is_regular_file()) continue;
    bytes += static_cast<double>(entry.file_size());
    files += 1;
  }
  return bytes / files;
}

Job make_job(const std::string& model, int image_size, int batch, const std::string& gpu, int ranks, int workers,
             const std::string& inject, const fs::path& dataset) {
  Job job;
  job.model = model;
  job.image_size = image_size;
  job.batch = batch;
  job.device = "emulated:" + gpu;
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
  command.arguments = {stash.string(), "profile", "--model", job.model, "--image-size", std::to_string(job.image_size),
                       "--batch", std::to_string(job.batch), "--device", job.device, "--ranks",
                       std::to_string(job.ranks), "--workers", std::to_string(job.workers), "--data", job.data,
                       "--precision", fmt::format("{}", job.precision_ratio), "--max-time",
                       fmt::format("{}s", job.max_time_s), "--seed", std::to_string(job.seed), "--out", out.string()};
  if (!job.inject.empty()) command.arguments.insert(command.arguments.end(), {"--inject", to_string(job.inject)});
  if (!conditions.empty()) {
    command.arguments.insert(command.arguments.end(), {"--conditions", fmt::format("{}", fmt::join(conditions, ","))});
  }
  const CommandResult result = run_command(command);
  if (!result.succeeded()) throw Error(fmt::format("stash profile failed: {}", result.errors));
  return read_profile(out);
}

}  // namespace stash::bench
