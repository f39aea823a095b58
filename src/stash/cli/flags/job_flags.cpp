#include "stash/cli/flags/job_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "stash/attribute/attribute.h"
#include "stash/catalog/gpu.h"
#include "stash/catalog/loader.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/launch/cluster/crew_plan.h"
#include "stash/models/job_graph.h"
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

// Declares those flags that a command wants.
class FlagAdder {
 public:
  FlagAdder(CLI::App& app, std::initializer_list<std::string_view> which) : app_(app), which_(which) {}

  // What is not given is shown as the default, unless it follows from the machine or is empty.
  template <class T>
  void operator()(std::string_view name, T& value, const std::string& type, const std::string& help) const {
    if (which_.size() > 0 && std::ranges::find(which_, name) == which_.end()) return;
    const std::string flag = "--" + std::string(name);
    if constexpr (std::is_same_v<T, bool>) {
      app_.add_flag(flag, value, help);
    } else {
      CLI::Option* const option = app_.add_option(flag, value, help)->type_name(type);
      if (!is_empty(value)) option->capture_default_str();
    }
  }

 private:
  template <class T>
  static bool is_empty(const std::optional<T>&) {
    return true;
  }
  static bool is_empty(const std::string& text) { return text.empty(); }
  template <class T>
  static bool is_empty(const T&) {
    return false;
  }

  CLI::App& app_;
  std::initializer_list<std::string_view> which_;
};

int in_range(int value, int lowest, int highest, std::string_view flag) {
  if (value >= lowest && value <= highest) return value;
  throw UsageError(fmt::format("{} {} is out of range: it takes {} to {}", flag, value, lowest, highest));
}

// With the GPU's name as the catalogue spells it.
JobDevice checked_device(const JobDevice& device) {
  if (device.is_cpu() || device == JobDevice::cuda()) return device;
  if (device.is_emulated()) return JobDevice::emulated(find_gpu(device.gpu()).name);
  std::vector<std::string> names{JobDevice().text(), JobDevice::cuda().text()};
  for (const Gpu& gpu : gpu_table()) names.push_back(JobDevice::emulated(gpu.name).text());
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw_unknown("--device", device.text(), views);
}

std::string checked_dtype(const std::string& dtype, const JobDevice& device) {
  const DType type = parse_dtype(dtype);
  if (device.is_emulated()) find_gpu(device.gpu()).ops_per_s(type);
  if (device.is_cpu() && type == DType::fp16) {
    throw UsageError("--dtype fp16 needs an accelerator: on the CPU use bf16 or fp32");
  }
  return std::string(to_string(type));
}

std::string checked_loader(const std::string& name, bool images, std::string_view model) {
  const Loader& loader = find_loader(name);
  if (images || loader.name == kOwnLoader) return loader.name;
  throw UsageError(fmt::format("--loader {} has no meaning for {}, which takes tokens", name, model));
}

int default_workers(int cores, int ranks) { return std::max(1, cores / std::max(ranks, 1) - 1); }

void check_injection(const Job& job) {
  if (!job.inject.group_link_bytes_per_s.empty()) {
    throw UsageError(fmt::format("--inject link:{}: built-in jobs have one process group; use link=RATE",
                                 job.inject.group_link_bytes_per_s.begin()->first));
  }
  for (const auto& [rank, delay] : job.inject.rank_delay_s) {
    if (rank < job.ranks) continue;
    throw UsageError(fmt::format("--inject rank{}: there are only {} ranks, counted from 0", rank, job.ranks));
  }
}

}  // namespace

void JobFlags::add_to(CLI::App& app, std::initializer_list<std::string_view> which) {
  const FlagAdder add(app, which);
  add("model", model, "NAME",
      fmt::format("Model to train; `stash models` lists them; default: {} on a GPU, {} on the CPU", kGpuModel,
                  kCpuModel));
  add("batch", batch, "N",
      fmt::format("Samples per rank and step; default: {} images or {} sequences on a GPU, {} or {} on the CPU",
                  kGpuImages, kGpuSequences, kCpuImages, kCpuSequences));
  add("image-size", image_size, "N", "Image width and height in pixels (image models)");
  add("seq-len", seq_len, "N", "Tokens per sequence (language models)");
  add("device", device, "NAME",
      fmt::format("cpu, cuda, or emulated:GPU (layers take that GPU's time, the rest is real); default: cuda, or {} "
                  "without a GPU",
                  kDeviceWithoutGpu));
  add("dtype", dtype, dtype_names(), "Arithmetic; bf16 and fp16 are mixed precision, fp16 needs a GPU");
  add("channels-last", channels_last, "", "Store images and weights with channels innermost");
  add("ranks", ranks, "N",
      fmt::format("Processes on this machine; default: one per GPU, or {} without a GPU", kRanksWithoutGpu));
  add("backend", backend, "NAME",
      "gloo, nccl, or another backend of this torch; default: nccl if every rank has its own GPU, else gloo");
  add("bucket", bucket, "BYTES", "Size of a gradient bucket");
  add("data", data, "PATH",
      "Folder with one folder of JPEG files per class, or a token file; default: a small data set is created");
  add("workers", workers, "N", "Input threads per rank; default: the rank's cores minus one, at least 1");
  add("prefetch", prefetch, "N", "Batches prepared ahead");
  add("loader", loader, "NAME",
      "Loader whose CPU time a sample takes: stash, torchvision (Pillow), opencv or dali; images only");
  add("conditions", conditions, "LIST", conditions_help());
  add("precision", precision, "RATIO", "Stop when the 95 % interval of every part is within ± this share of the step");
  add("max-time", max_time, "TIME", "Time limit, counted from the first round; two rounds are always measured");
  add("rounds", rounds, "N", "Maximum number of rounds; 0 = until --precision or --max-time is reached");
  add("seed", seed, "N", "Random seed for weights, shuffling and window order");
  add("inject", inject, "LIST", "Stalls to inject: read=20MB/s,prep=5ms/sample,rank1=+30ms,link=1Gbit/s,warmup=+1s");
}

std::string dtype_names() {
  std::vector<std::string_view> names;
  for (const DType dtype : kDTypes) names.push_back(to_string(dtype));
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string conditions_help() {
  std::vector<std::string_view> names;
  for (const Condition condition : kConditions) names.push_back(to_string(condition));
  return fmt::format("Conditions to measure, from the chain {}; default: all that apply", fmt::join(names, ","));
}

std::vector<Condition> parse_conditions(const std::string& list) {
  std::vector<Condition> asked;
  for (const std::string& name : split_list_strictly(list)) asked.push_back(parse_condition(name));
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  return asked;
}

// Of the whole job. A launcher of ranks has decided; one of nodes leaves it to each node's process.
int JobFlags::all_ranks(int gpus, bool on_gpus, const std::optional<LaunchedProcess>& launched) const {
  if (launched && !launched->starts_nodes) {
    if (!ranks || *ranks == launched->size) return launched->size;
    throw UsageError(fmt::format("{} started {} ranks, not {}: leave out --ranks, or use --local", launched->launcher,
                                 launched->size, *ranks));
  }
  const int fallback = gpus > 0 && on_gpus ? gpus : kRanksWithoutGpu;
  const int here = in_range(ranks.value_or(fallback), 1, kMostRanks, "--ranks");
  return launched ? here * launched->size : here;
}

Job JobFlags::resolve(int gpus, int cores, const std::optional<LaunchedProcess>& launched) const {
  Job job;
  job.device = checked_device(device.value_or(gpus > 0 ? "cuda" : kDeviceWithoutGpu));
  const bool is_cpu = job.device.is_cpu();
  job.dtype = checked_dtype(dtype, job.device);
  job.model = model.value_or(is_cpu ? kCpuModel : kGpuModel);
  job.image_size = in_range(image_size.value_or(default_image_size(job.model)), 1, 4096, "--image-size");
  job.seq_len = seq_len ? in_range(*seq_len, 1, 1 << 20, "--seq-len") : 0;
  const Graph graph = graph_of(job);
  const bool images = graph.input == InputKind::images;
  if (images && seq_len)
    throw UsageError(fmt::format("--seq-len has no meaning for {}, which takes images", job.model));
  if (!images && image_size)
    throw UsageError(fmt::format("--image-size has no meaning for {}, which takes tokens", job.model));
  job.seq_len = graph.seq_len;
  const int fallback = images ? (is_cpu ? kCpuImages : kGpuImages) : (is_cpu ? kCpuSequences : kGpuSequences);
  job.batch = in_range(batch.value_or(fallback), 1, 1 << 20, "--batch");
  job.channels_last = channels_last;
  job.ranks = all_ranks(gpus, job.device.is_cuda(), launched);
  const int on_host = ranks_on_host(job.ranks, launched);
  job.backend = backend.value_or(job.device.is_cuda() && on_host <= gpus ? "nccl" : "gloo");
  job.bucket_bytes = parse_bytes(bucket, "--bucket");
  if (job.bucket_bytes < 1) throw UsageError("--bucket must hold at least a byte, like 25MiB");
  job.data = data;
  job.workers = in_range(workers.value_or(default_workers(cores, on_host)), 1, kMostWorkersPerRank, "--workers");
  job.prefetch = in_range(prefetch, 1, 1024, "--prefetch");
  job.loader = checked_loader(loader, images, job.model);
  job.conditions = parse_conditions(conditions);
  job.precision_ratio = parse_ratio(precision, "--precision");
  job.max_time_s = parse_duration_s(max_time, "--max-time");
  job.rounds = in_range(rounds, 0, 1 << 20, "--rounds");
  job.seed = seed;
  job.inject = parse_injection(inject);
  check_injection(job);
  if (present_conditions(job, launched ? launched->size : 1).empty()) {
    throw UsageError(fmt::format("--conditions {} leaves nothing to measure with --ranks {} and --device {}",
                                 conditions, job.ranks, job.device.text()));
  }
  return job;
}

}  // namespace stash
