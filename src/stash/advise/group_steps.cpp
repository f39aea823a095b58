#include "stash/advise/group_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/catalog/gpu_model.h"
#include "stash/core/units.h"

namespace stash {
namespace {

// Calls of fewer bytes are latency more than bytes; half the bytes would not be half the time.
constexpr double kLargeCallBytes = 1e6;
// A unit that is gathered in both passes is gathered twice for each time that its gradients are scattered.
constexpr double kGatheredTwice = 1.5;
constexpr double kParameterBytes = 4;
constexpr double kStateBytes = 16;  // of a parameter with its gradient and two moments, all in fp32
// Of what a step moves with shards on all nodes (gathered twice, scattered once) a sum of the gradients needs two.
constexpr double kHybridSaves = 1.0 / 3;

class GroupSteps {
 public:
  GroupSteps(const JobFacts& facts, const Stall& stall, const std::vector<SyncGroup>& groups)
      : facts_(facts), stall_(stall), groups_(groups) {}

  std::vector<FirstStep> all() && {
    for (const SyncGroup& group : groups_) {
      switch (group.kind) {
        case SyncKind::ddp:
          compress(group);
          add(group, accumulated_gradients(stall_), 0.5);
          break;
        case SyncKind::fsdp:
        case SyncKind::fsdp1:
          keep_gathered(group);
          send_half(group);
          shard_inside_nodes(group);
          accumulate_shards(group);
          break;
        case SyncKind::tensor:
          keep_inside_nodes(group);
          halve_degree(group);
          break;
        case SyncKind::pipeline:
        case SyncKind::unknown:
          break;
      }
    }
    return std::move(steps_);
  }

 private:
  // Seconds of the stall that are this group's.
  double share_s(const SyncGroup& group) const {
    return group.exposed ? std::clamp(group.exposed->s, 0.0, stall_.time.s) : stall_.time.s;
  }

  // Known as well as the stall is.
  void add_s(FirstStep step, double s) {
    const double ratio = s / stall_.time.s;
    step.saved = {s, stall_.time.low_s * ratio, stall_.time.high_s * ratio};
    step.part = stall_.part;
    step.of_s = stall_.step_s;
    steps_.push_back(std::move(step));
  }
  void add(const SyncGroup& group, FirstStep step, double ratio) { add_s(std::move(step), share_s(group) * ratio); }

  FirstStep line(const SyncGroup& group, std::string action, std::string how, const std::string& more,
                 Effort effort) const {
    return {.part = stall_.part,
            .action = std::move(action),
            .how = std::move(how),
            .because = fmt::format("{} of a step are communication of {} that compute does not hide{}",
                                   format_duration(share_s(group)), group.name, more),
            .effort = effort,
            .of_s = stall_.step_s};
  }

  const char* device() const { return facts_.profile.job.device.is_cuda() ? "cuda" : "cpu"; }

  // Memory of the CPU is taken to suffice; that of a GPU is known or nothing is promised.
  bool fits(double more_bytes) const {
    if (facts_.computes_on_cpu) return true;
    const Profile& profile = facts_.profile;
    if (!profile.script || !profile.script->peak_memory_bytes || profile.machine.gpus.empty()) return false;
    const std::optional<std::int64_t> there = profile.machine.gpus.front().memory_bytes;
    return there && static_cast<double>(*profile.script->peak_memory_bytes) + more_bytes <= static_cast<double>(*there);
  }
  double parameters() const {
    return facts_.profile.script ? static_cast<double>(facts_.profile.script->parameters) : 0;
  }

  // Every all-reduce of half the bytes takes half the time, so at least half of what is exposed goes.
  void compress(const SyncGroup& group) {
    const bool is_large = group.calls > 0 && group.summed_bytes / group.calls >= kLargeCallBytes;
    if (facts_.computes_on_cpu || facts_.profile.job.dtype != "fp32" || !is_large || !takes_bf16_hook(facts_)) return;
    add(group, compressed_gradients(stall_, true, group.name), 0.5);
  }

  void keep_gathered(const SyncGroup& group) {
    if (group.gathers < kGatheredTwice * group.scatters || group.scatters <= 0) return;
    if (!fits(kParameterBytes * parameters())) return;
    const bool is_first = group.kind == SyncKind::fsdp1;
    add(group,
        line(group, "keep parameters gathered until their backward pass",
             is_first ? "FullyShardedDataParallel(module, sharding_strategy=ShardingStrategy.SHARD_GRAD_OP)"
                      : "fully_shard(module, reshard_after_forward=False)",
             fmt::format("; {} per step are gathered in both passes. A rank then holds all parameters at once",
                         format_bytes(group.gathered_bytes / 2)),
             Effort::setting),
        group.gathered_bytes / 2 / group.bytes);
  }

  void send_half(const SyncGroup& group) {
    const Gpu* const gpu = gpu_of(facts_.profile.job.device, facts_.profile.machine.gpus);
    if (gpu == nullptr || !gpu->bf16_ops_per_s || !computes_in_fp32()) return;
    const bool is_first = group.kind == SyncKind::fsdp1;
    add(group,
        line(group, "compute and send in bf16 instead of fp32",
             is_first ? "FullyShardedDataParallel(module, mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, "
                        "reduce_dtype=torch.bfloat16))"
                      : "fully_shard(module, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))",
             ", and half the bytes take half the time", Effort::training),
        0.5);
  }

  bool computes_in_fp32() const {
    const std::optional<ScriptWork>& work = facts_.profile.work;
    if (!work) return facts_.profile.job.dtype == "fp32";
    return std::ranges::all_of(work->rows,
                               [](const WorkRow& row) { return row.operations <= 0 || row.dtype == "fp32"; });
  }

  // Only sums of the gradients go between nodes then.
  void shard_inside_nodes(const SyncGroup& group) {
    const bool is_hybrid = std::ranges::count(groups_, group.kind, &SyncGroup::kind) > 1;
    if (stall_.part != Part::network || !group.between_nodes || group.ranks_per_node < 2 || is_hybrid) return;
    if (!fits(kStateBytes * parameters() / group.ranks_per_node)) return;
    const bool is_first = group.kind == SyncKind::fsdp1;
    add(group,
        line(group, "shard inside each node and keep a copy of the parameters per node",
             is_first ? "FullyShardedDataParallel(module, sharding_strategy=ShardingStrategy.HYBRID_SHARD)"
                      : fmt::format("fully_shard(module, mesh=init_device_mesh(\"{}\", ({}, {}), "
                                    "mesh_dim_names=(\"replicate\", \"shard\")))",
                                    device(), group.ranks / group.ranks_per_node, group.ranks_per_node),
             ", and shards are gathered from other nodes", Effort::setting),
        kHybridSaves);
  }

  void accumulate_shards(const SyncGroup& group) {
    if (group.scattered_bytes <= 0 || !fits(kParameterBytes * parameters())) return;
    const bool is_first = group.kind == SyncKind::fsdp1;
    add(group,
        line(group, "accumulate the gradients of two passes before they go out",
             is_first ? "FullyShardedDataParallel.no_sync() around the first pass"
                      : "model.set_requires_gradient_sync(False) before the first pass, True before the second",
             fmt::format("; {} of gradients then go out every second time; an update sees twice the samples",
                         format_bytes(group.scattered_bytes)),
             Effort::training),
        group.scattered_bytes / group.bytes / 2);
  }

  std::string mesh(int tensor_ranks) const {
    return fmt::format("init_device_mesh(\"{}\", ({}, {}), mesh_dim_names=(\"dp\", \"tp\"))", device(),
                       facts_.profile.job.ranks / tensor_ranks, tensor_ranks);
  }
  // Two dimensions, so that a mesh with another degree can be written down.
  bool has_one_other(const SyncGroup& group) const { return groups_.size() == 2 && !group.name.empty(); }

  void keep_inside_nodes(const SyncGroup& group) {
    if (stall_.part != Part::network || group.ranks_per_node < 2 || !group.between || !group.inside) return;
    if (!has_one_other(group) || !fits(2 * kStateBytes * parameters() / group.ranks)) return;
    const double s = std::clamp(group.between->s - group.inside->s, 0.0, stall_.time.s);
    add_s(line(group,
               fmt::format("make tensor-parallel groups of the {} ranks of a node instead of {}", group.ranks_per_node,
                           group.ranks),
               mesh(group.ranks_per_node), ", most of it between nodes", Effort::setting),
          s);
  }

  // With ranks in a ring, t ranks send (t - 1) / t of what a rank holds. What the other dimension sums doubles.
  void halve_degree(const SyncGroup& group) {
    const int half = group.ranks / 2;
    if (stall_.part != Part::interconnect || group.ranks % 2 != 0 || !has_one_other(group)) return;
    if (!fits(kStateBytes * parameters() / group.ranks)) return;
    const double sent = static_cast<double>(group.ranks - 1) / group.ranks, then = static_cast<double>(half - 1) / half;
    const SyncGroup& other = &groups_[0] == &group ? groups_[1] : groups_[0];
    const double other_s = other.exposed ? std::max(0.0, other.exposed->s) : 0;
    add_s(line(group,
               half == 1 ? "train without tensor parallelism, with twice the data-parallel ranks"
                         : fmt::format("make tensor-parallel groups of {} ranks instead of {}", half, group.ranks),
               mesh(half),
               fmt::format("; what {} sums doubles and is counted. A rank then holds twice the parameters", other.name),
               Effort::setting),
          share_s(group) * (1 - then / sent) - other_s);
  }

  const JobFacts& facts_;
  const Stall& stall_;
  const std::vector<SyncGroup>& groups_;
  std::vector<FirstStep> steps_;
};

}  // namespace

std::vector<FirstStep> group_steps(const JobFacts& facts, const Stall& stall) {
  const std::vector<SyncGroup> groups = sync_groups(facts.profile, facts.ledger);
  return GroupSteps(facts, stall, groups).all();
}

bool sums_like_ddp(const JobFacts& facts) {
  if (!facts.is_script) return true;
  const std::vector<SyncGroup> groups = sync_groups(facts.profile, facts.ledger);
  return std::ranges::any_of(groups, [](const SyncGroup& group) { return group.kind == SyncKind::ddp; });
}

bool takes_bf16_hook(const JobFacts& facts) {
  if (facts.profile.job.device.is_emulated()) return true;  // as the GPU that it stands for
  const auto& versions = facts.profile.machine.versions;
  return facts.profile.job.device.is_cuda() && (!versions.contains("torch") || versions.contains("nccl"));
}

}  // namespace stash
