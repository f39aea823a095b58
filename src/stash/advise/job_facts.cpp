#include "stash/advise/job_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/job.h"
#include "stash/core/units.h"

namespace stash {
namespace {

FirstStep step_for(const Stall& stall, std::string action, std::string how, std::string because, Effort effort) {
  return {.part = stall.part,
          .action = std::move(action),
          .how = std::move(how),
          .because = std::move(because),
          .effort = effort,
          .of_s = stall.step_s,
          .first_epoch = stall.first_epoch};
}

// A step without what the input adds.
double before_input_s(const Ledger& ledger) {
  double s = ledger.step.s;
  for (const Part part : {Part::prep, Part::fetch}) s -= ledger[part] ? ledger[part]->s : 0;
  return s;
}

// A step may be this factor longer than one that reads nothing: a worker that reads before it decodes is never as
// quick as one that only decodes.
constexpr double kReadingRatio = 1.05;

}  // namespace

// A function has no workers: it becomes what the workers of a loader call.
std::string workers_setting(const JobFacts& facts, int workers) {
  if (!facts.is_script) return fmt::format("--workers {}", workers);
  const std::string function = input_function(facts);
  if (function.empty()) return fmt::format("DataLoader(num_workers={})", workers);
  return fmt::format(
      "DataLoader(dataset, batch_size=None, num_workers={}) over an IterableDataset that yields what {} "
      "returns",
      workers, function);
}

std::optional<StorageNeed> storage_need(const JobFacts& facts, const Stall& fetch) {
  double bytes = 0, cpu_s = 0, samples = 0;
  for (const InputCounters& counters : facts.profile.inputs) {
    bytes += static_cast<double>(counters.read_bytes);
    cpu_s += counters.decode_s + counters.augment_s + counters.injected_s;
    samples += static_cast<double>(counters.samples);
  }
  const Job& job = facts.profile.job;
  const double hot_s = fetch.step_s - fetch.time.s;
  if (!(bytes > 0 && samples > 0 && hot_s > 0) || job.batch < 1 || job.workers < 1) return std::nullopt;
  const double sample_bytes = bytes / samples;
  const double has_s = hot_s * job.workers / job.batch;  // of a worker for a sample
  const double decode_s = std::min(cpu_s / samples, has_s);
  const double rate = std::max(sample_bytes * job.batch * facts.ranks_per_node / hot_s,
                               sample_bytes / (has_s * kReadingRatio - decode_s));
  const double left_s = (sample_bytes / rate + decode_s - has_s) * job.batch / job.workers;
  return StorageNeed{rate, std::clamp(left_s, 0.0, fetch.time.s)};
}

JobFacts::JobFacts(const Profile& from, const Ledger& its_ledger)
    : profile(from),
      ledger(its_ledger),
      nodes(count_nodes(from.places)),
      ranks_per_node(std::max(1, from.job.ranks / std::max(1, nodes))),
      is_script(!from.job.command.empty()),
      computes_on_cpu(from.job.device.is_cpu()),
      most_workers(computes_on_cpu ? 0 : std::clamp(from.machine.cores / ranks_per_node, 0, kMostWorkersPerRank)) {}

std::string input_function(const JobFacts& facts) {
  return facts.profile.script ? facts.profile.script->input : std::string();
}

std::string larger_batch(const JobFacts& facts, int samples) {
  if (!facts.is_script) return fmt::format("--batch {}", samples);
  const std::string function = input_function(facts);
  return function.empty() ? fmt::format("DataLoader(batch_size={})", samples)
                          : fmt::format("batches of {} from {}", samples, function);
}

FirstStep more_workers(const JobFacts& facts, const Stall& stall, int workers) {
  const int now = facts.profile.job.workers;
  FirstStep step = step_for(
      stall, fmt::format("give each rank {} input workers instead of {}", workers, now),
      workers_setting(facts, workers),
      fmt::format("a step waits {} for batches and takes {} without input; a rank has {} cores",
                  format_duration(stall.time.s), format_duration(before_input_s(facts.ledger)), facts.most_workers),
      Effort::setting);
  step.fix = fix_variant({.kind = FixKind::workers, .value = workers});
  return step;
}

FirstStep faster_storage(const JobFacts& facts, const Stall& stall, double bytes_per_s) {
  return step_for(
      stall,
      fmt::format("read from storage that gives each node {}/s, such as a local disk", format_bytes(bytes_per_s)),
      facts.is_script ? "the data set copied there" : "--data with a copy there",
      fmt::format("a step waits {} for storage and takes {} when nothing has to be read", format_duration(stall.time.s),
                  format_duration(stall.step_s - stall.time.s)),
      Effort::hardware);
}

FirstStep larger_cache(const JobFacts& facts, const Stall& stall, double cache_bytes) {
  const double now = static_cast<double>(facts.profile.cache_bytes.value_or(0));
  return step_for(stall,
                  fmt::format("give each node {} of memory for the page cache instead of {}", format_bytes(cache_bytes),
                              format_bytes(now)),
                  fmt::format("nodes with {} more memory", format_bytes(cache_bytes - now)),
                  fmt::format("of the data set's {}, {} fit now and {:.0f} % of the reads find their pages",
                              format_bytes(static_cast<double>(facts.profile.dataset_bytes.value_or(0))),
                              format_bytes(now), 100 * facts.ledger.steady_fetch.value_or(SteadyFetch{}).cached_ratio),
                  Effort::hardware);
}

FirstStep compressed_gradients(const Stall& stall, bool with_bf16, const std::string& group) {
  const char* type = with_bf16 ? "bf16" : "fp16";
  FirstStep step =
      step_for(stall, fmt::format("send gradients as {} instead of fp32", type),
               fmt::format("model.register_comm_hook(None, default_hooks.{}_compress_hook)", type),
               fmt::format("{} of a step are communication that compute does not hide, and half the bytes take half "
                           "the time",
                           format_duration(stall.time.s)),
               Effort::setting);
  if (with_bf16) step.fix = fix_variant({.kind = FixKind::half_gradients, .group = group});
  return step;
}

FirstStep accumulated_gradients(const Stall& stall) {
  return step_for(
      stall, "accumulate the gradients of two passes before they go out",
      "DistributedDataParallel.no_sync() around the first pass",
      fmt::format("{} of a pass are communication that compute does not hide, which is then paid every second "
                  "time; an update sees twice the samples",
                  format_duration(stall.time.s)),
      Effort::training);
}

}  // namespace stash
