#include "stash/cli/job_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "stash/attribute/attribute.h"
#include "stash/catalog/gpu.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/launch/team.h"
#include "stash/models/memory.h"
#include "stash/models/models.h"

namespace stash {
namespace {

// Without a GPU the question is what this machine's cores and storage could feed. Training on the CPU itself is slow,
// and shared cores vary so much that its intervals take minutes.
constexpr const char* kDeviceWithoutGpu = "emulated:V100";
// Small enough that a profile ends within a minute; large enough to keep a GPU busy.
constexpr const char* kCpuModel = "shufflenet_v2_x0_5";
constexpr const char* kGpuModel = "resnet50";
constexpr int kCpuImages = 4;
constexpr int kGpuImages = 64;
constexpr int kCpuSequences = 1;
constexpr int kGpuSequences = 8;
constexpr int kRanksWithoutGpu = 2;
constexpr int kMostRanks = 4096;

int in_range(int value, int lowest, int highest, std::string_view flag) {
  if (value >= lowest && value <= highest) return value;
  throw UsageError(fmt::format("{} {} is out of range: it takes {} to {}", flag, value, lowest, highest));
}

std::string checked_device(const std::string& device) {
  if (device == "cpu" || device == "cuda") return device;
  if (device.starts_with(kEmulatedPrefix))
    return std::string(kEmulatedPrefix) + find_gpu(device.substr(kEmulatedPrefix.size())).name;
  std::vector<std::string> names{"cpu", "cuda"};
  for (const Gpu& gpu : gpu_table()) names.push_back(std::string(kEmulatedPrefix) + gpu.name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw_unknown("--device", device, views);
}

std::string checked_dtype(const std::string& dtype, const std::string& device) {
  const DType type = parse_dtype(dtype);
  if (device.starts_with(kEmulatedPrefix)) find_gpu(device.substr(kEmulatedPrefix.size())).ops_per_s(type);
  if (device == "cpu" && type == DType::fp16) {
    throw UsageError("--dtype fp16 needs an accelerator: on the CPU use bf16 or fp32");
  }
  return std::string(to_string(type));
}

int default_workers(int cores, int ranks) { return std::max(1, cores / std::max(ranks, 1) - 1); }

double job_training_bytes(const Job& job, const Graph& graph) {
  return training_bytes(graph, job.batch, job.dtype == "fp32" ? 4 : 2);
}

void check_injection(const Job& job) {
  for (const auto& [rank, delay] : job.inject.rank_delay_s) {
    if (rank < job.ranks) continue;
    throw UsageError(fmt::format("--inject rank{}: there are only {} ranks, counted from 0", rank, job.ranks));
  }
}

}  // namespace

void JobFlags::add_to(CLI::App& app) {
  app.add_option("--model", model, "What is trained; `stash models` lists them")->type_name("NAME");
  app.add_option("--batch", batch, "Samples per rank and step")->type_name("N");
  app.add_option("--image-size", image_size, "Pixels of an image's side")->type_name("N");
  app.add_option("--seq-len", seq_len, "Tokens of a sequence")->type_name("N");
  app.add_option("--device", device,
                 "cpu, cuda, or emulated:<gpu> (layers take a GPU's time, the rest is real); default: cuda, "
                 "without a GPU emulated:V100")
      ->type_name("NAME");
  app.add_option("--dtype", dtype, "Precision of the arithmetic; bf16 and fp16 are mixed")
      ->type_name("fp32|bf16|fp16")
      ->capture_default_str();
  app.add_flag("--channels-last", channels_last, "Images and weights with channels innermost");
  app.add_option("--ranks", ranks, "Processes on this machine; default: one for each GPU, without one 2")
      ->type_name("N");
  app.add_option("--backend", backend,
                 "gloo, nccl, or another that torch has; default: nccl where every rank has a GPU")
      ->type_name("NAME");
  app.add_option("--bucket", bucket, "Size of a gradient bucket")->type_name("BYTES")->capture_default_str();
  app.add_option("--data", data, "Folder of class folders of JPEG files, or a token file; default: a small one is made")
      ->type_name("PATH");
  app.add_option("--workers", workers, "Input threads per rank; default: the rank's cores less one")->type_name("N");
  app.add_option("--prefetch", prefetch, "Batches that may be ready ahead")->type_name("N")->capture_default_str();
  app.add_option("--conditions", conditions, "Part of the chain solo,apart,node,joined,staged,hot,cold")
      ->type_name("LIST");
  app.add_option("--precision", precision, "Stop when every part is known to this share of the step")
      ->type_name("RATIO")
      ->capture_default_str();
  app.add_option("--max-time", max_time, "Stop after this time in any case")->type_name("TIME")->capture_default_str();
  app.add_option("--rounds", rounds, "At most so many rounds; 0: as precision and time ask for")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seed", seed, "Of weights, shuffles and the order of windows")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--inject", inject,
                 "Stalls on purpose: read=20MB/s,prep=5ms/sample,rank1=+30ms,link=1Gbit/s,warmup=+1s")
      ->type_name("LIST");
}

std::vector<Condition> parse_conditions(const std::string& list) {
  std::vector<Condition> asked;
  for (std::size_t start = 0; start <= list.size() && !list.empty();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    asked.push_back(parse_condition(std::string_view(list).substr(start, comma - start)));
    start = comma + 1;
  }
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  return asked;
}

Graph graph_of(const Job& job) { return make_model(job.model, {.image_size = job.image_size, .seq_len = job.seq_len}); }

// Of the whole job. A launcher of ranks has decided; one of nodes leaves it to each node's process.
int JobFlags::all_ranks(int gpus, bool on_gpus, const std::optional<Placement>& placement) const {
  if (placement && !placement->starts_nodes) {
    if (!ranks || *ranks == placement->size) return placement->size;
    throw UsageError(fmt::format("{} started {} ranks, not {}: leave out --ranks, or use --local", placement->launcher,
                                 placement->size, *ranks));
  }
  const int usual = gpus > 0 && on_gpus ? gpus : kRanksWithoutGpu;
  const int here = in_range(ranks.value_or(usual), 1, kMostRanks, "--ranks");
  return placement ? here * placement->size : here;
}

Job JobFlags::resolve(int gpus, int cores, const std::optional<Placement>& placement) const {
  Job job;
  job.device = checked_device(device.value_or(gpus > 0 ? "cuda" : kDeviceWithoutGpu));
  const bool is_cpu = job.device == "cpu";
  job.dtype = checked_dtype(dtype, job.device);
  job.model = model.value_or(is_cpu ? kCpuModel : kGpuModel);
  job.image_size = in_range(image_size.value_or(job.image_size), 1, 4096, "--image-size");
  job.seq_len = seq_len ? in_range(*seq_len, 1, 1 << 20, "--seq-len") : 0;
  const Graph graph = graph_of(job);
  const bool images = graph.input == InputKind::images;
  if (images && seq_len)
    throw UsageError(fmt::format("--seq-len has no meaning for {}, which takes images", job.model));
  if (!images && image_size)
    throw UsageError(fmt::format("--image-size has no meaning for {}, which takes tokens", job.model));
  job.seq_len = graph.seq_len;
  const int usual = images ? (is_cpu ? kCpuImages : kGpuImages) : (is_cpu ? kCpuSequences : kGpuSequences);
  job.batch = in_range(batch.value_or(usual), 1, 1 << 20, "--batch");
  job.channels_last = channels_last;
  job.ranks = all_ranks(gpus, job.device == "cuda", placement);
  const int on_host = ranks_on_host(job.ranks, placement);
  job.backend = backend.value_or(job.device == "cuda" && on_host <= gpus ? "nccl" : "gloo");
  job.bucket_bytes = parse_bytes(bucket, "--bucket");
  if (job.bucket_bytes < 1) throw UsageError("--bucket must hold at least a byte, like 25MiB");
  job.data = data;
  job.workers = in_range(workers.value_or(default_workers(cores, on_host)), 1, 1024, "--workers");
  job.prefetch = in_range(prefetch, 1, 1024, "--prefetch");
  job.conditions = parse_conditions(conditions);
  job.precision_ratio = parse_ratio(precision, "--precision");
  job.max_time_s = parse_duration_s(max_time, "--max-time");
  job.rounds = in_range(rounds, 0, 1 << 20, "--rounds");
  job.seed = seed;
  job.inject = parse_injection(inject);
  check_injection(job);
  if (present_conditions(job, placement ? placement->size : 1).empty()) {
    throw UsageError(fmt::format("--conditions {} leaves nothing to measure with --ranks {} and --device {}",
                                 conditions, job.ranks, job.device));
  }
  return job;
}

std::string gpu_misfit(const Job& job, const Graph& graph, std::string_view gpu, double memory_bytes) {
  const double needed = job_training_bytes(job, graph);
  if (needed <= memory_bytes) return "";
  return fmt::format(
      "{} with --batch {} needs about {} of memory and a {} has {}: use a smaller --batch or another GPU", job.model,
      job.batch, format_bytes(needed), gpu, format_bytes(memory_bytes));
}

void check_memory(const Job& job, const Graph& graph, int ranks_here, double available_bytes) {
  if (job.device == "cuda") return;  // the device tells how much it has when it is asked
  const bool emulated = job.device.starts_with(kEmulatedPrefix);
  if (emulated) {
    const Gpu& gpu = find_gpu(job.device.substr(kEmulatedPrefix.size()));
    const std::string misfit = gpu_misfit(job, graph, gpu.name, static_cast<double>(gpu.memory_bytes));
    if (!misfit.empty()) throw Error(misfit);
  }
  const double each = emulated ? emulated_bytes(graph) : job_training_bytes(job, graph);
  const double input =
      static_cast<double>(job.prefetch + 1) * job.batch *
      (graph.input == InputKind::images ? 12.0 * job.image_size * job.image_size : 8.0 * graph.seq_len);
  const double needed = (each + input) * ranks_here;
  if (needed <= available_bytes) return;
  throw Error(
      fmt::format("{} with --batch {} on {} ranks needs about {} of memory and {} are available: use a smaller "
                  "--batch or fewer --ranks",
                  job.model, job.batch, ranks_here, format_bytes(needed), format_bytes(available_bytes)));
}

}  // namespace stash
