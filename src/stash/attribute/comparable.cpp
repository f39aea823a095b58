#include "stash/attribute/comparable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stash/attribute/round_table.h"
#include "stash/core/injection.h"
#include "stash/core/units.h"

namespace stash {

namespace {

constexpr std::string_view kNothing = "none";

std::string shown(const std::string& text) { return text.empty() ? std::string(kNothing) : text; }
std::string shown(const JobDevice& device) { return shown(device.text()); }
std::string shown(bool flag) { return flag ? "yes" : "no"; }
std::string shown(int value) { return fmt::format("{}", value); }
std::string shown(std::int64_t value) { return fmt::format("{}", value); }
std::string shown(const std::vector<std::string>& words) { return shown(fmt::format("{}", fmt::join(words, " "))); }
std::string shown(const std::vector<GpuInfo>& gpus) {
  std::vector<std::string> names;
  for (const GpuInfo& gpu : gpus) names.push_back(gpu.name);
  return shown(fmt::format("{}", fmt::join(names, ", ")));
}

class Mismatches {
 public:
  template <class T>
  void compare(std::string_view what, const T& before, const T& after) {
    const std::string was = shown(before), is = shown(after);
    if (was != is) found_.push_back({std::string(what), was, is});
  }
  // What a script did not show is no difference.
  void compare_known(std::string_view what, const std::string& before, const std::string& after) {
    if (!before.empty() && !after.empty()) compare(what, before, after);
  }
  std::vector<Mismatch> found() && { return std::move(found_); }

 private:
  std::vector<Mismatch> found_;
};

std::string chain_of(const Profile& profile) {
  std::vector<std::string_view> names;
  for (const Condition condition : complete_rounds(profile).chain) names.push_back(to_string(condition));
  return fmt::format("{}", fmt::join(names, ","));
}

// Two datasets of as many samples and bytes are one that lies elsewhere; uncounted, only the name tells.
bool datasets_are_counted(const Profile& before, const Profile& after) {
  return before.dataset_samples && after.dataset_samples && before.dataset_bytes && after.dataset_bytes;
}

void compare_datasets(Mismatches& mismatches, const Profile& before, const Profile& after) {
  if (!datasets_are_counted(before, after)) return mismatches.compare("data", before.job.data, after.job.data);
  mismatches.compare("samples", *before.dataset_samples, *after.dataset_samples);
  mismatches.compare("bytes of data", *before.dataset_bytes, *after.dataset_bytes);
}

std::string version_in(const Machine& machine, const std::string& library) {
  const auto found = machine.versions.find(library);
  return found == machine.versions.end() ? "" : found->second;
}

void compare_versions(Mismatches& mismatches, const Machine& before, const Machine& after) {
  std::vector<std::string> libraries;
  for (const auto& versions : {before.versions, after.versions}) {
    for (const auto& [library, version] : versions) libraries.push_back(library);
  }
  std::sort(libraries.begin(), libraries.end());
  libraries.erase(std::unique(libraries.begin(), libraries.end()), libraries.end());
  for (const std::string& library : libraries) {
    mismatches.compare(library, version_in(before, library), version_in(after, library));
  }
}

}  // namespace

std::vector<Mismatch> job_mismatches(const Profile& before, const Profile& after) {
  const Job& was = before.job;
  const Job& is = after.job;
  Mismatches mismatches;
  mismatches.compare("model", job_name(was), job_name(is));
  mismatches.compare("command", was.command, is.command);
  mismatches.compare("batch", was.batch, is.batch);
  mismatches.compare("image size", was.image_size, is.image_size);
  mismatches.compare("sequence length", was.seq_len, is.seq_len);
  mismatches.compare("device", was.device, is.device);
  mismatches.compare_known("dtype", was.dtype, is.dtype);
  mismatches.compare("ranks", was.ranks, is.ranks);
  mismatches.compare("nodes", node_count(before), node_count(after));
  mismatches.compare("conditions", chain_of(before), chain_of(after));
  mismatches.compare("GPUs", before.machine.gpus, after.machine.gpus);
  compare_datasets(mismatches, before, after);
  return std::move(mismatches).found();
}

std::vector<Mismatch> setting_mismatches(const Profile& before, const Profile& after) {
  const Job& was = before.job;
  const Job& is = after.job;
  Mismatches mismatches;
  mismatches.compare_known("backend", was.backend, is.backend);
  mismatches.compare("channels last", was.channels_last, is.channels_last);
  mismatches.compare("bucket", format_bytes(static_cast<double>(was.bucket_bytes)),
                     format_bytes(static_cast<double>(is.bucket_bytes)));
  if (datasets_are_counted(before, after)) mismatches.compare("data", was.data, is.data);
  mismatches.compare("workers", was.workers, is.workers);
  mismatches.compare("prefetch", was.prefetch, is.prefetch);
  mismatches.compare("injected stalls", to_string(was.inject), to_string(is.inject));
  mismatches.compare("host", before.machine.hostname, after.machine.hostname);
  mismatches.compare("CPU", before.machine.cpu, after.machine.cpu);
  mismatches.compare("cores", before.machine.cores, after.machine.cores);
  mismatches.compare("kernel", before.machine.kernel, after.machine.kernel);
  mismatches.compare("disk", before.machine.disk.value_or(""), after.machine.disk.value_or(""));
  compare_versions(mismatches, before.machine, after.machine);
  return std::move(mismatches).found();
}

}  // namespace stash
