#include "stash/attribute/sync_groups.h"

#include <algorithm>
#include <array>

namespace stash {
namespace {

// As Megatron, torchtitan and DeepSpeed call them.
constexpr std::array<std::string_view, 6> kTensorNames{
    "tp", "tensor", "tensor_parallel", "tensor_model_parallel", "model_parallel", "mp"};
constexpr std::array<std::string_view, 5> kPipelineNames{"pp", "pipe", "pipeline", "pipeline_parallel",
                                                         "pipeline_model_parallel"};
constexpr double kMostlyRatio = 0.5;  // of what goes around, where groups are not known, may be no sum of gradients

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

SyncKind kind_of(const GroupTime& line, const std::optional<ScriptFacts>& facts) {
  if (holds(line.used_by, "DDP")) return SyncKind::ddp;
  if (holds(line.used_by, "FSDP")) {
    const bool is_first = facts && holds(facts->wrappers, "FSDP1") && !holds(facts->wrappers, "FSDP");
    return is_first ? SyncKind::fsdp1 : SyncKind::fsdp;
  }
  if (std::ranges::find(kTensorNames, line.name) != kTensorNames.end()) return SyncKind::tensor;
  const bool passes_on = std::ranges::any_of(
      line.operations, [](const GroupOperation& one) { return one.op == "send" || one.op == "recv"; });
  const bool is_named = std::ranges::find(kPipelineNames, line.name) != kPipelineNames.end();
  return passes_on || is_named ? SyncKind::pipeline : SyncKind::unknown;
}

void add_operation(SyncGroup& group, std::string_view op, double calls, double bytes) {
  group.calls += calls;
  group.bytes += bytes;
  if (op == "allreduce") group.summed_bytes += bytes;
  if (op == "allgather") group.gathers += calls, group.gathered_bytes += bytes;
  if (op == "reduce_scatter") group.scatters += calls, group.scattered_bytes += bytes;
}

// Counts are of all steps of the profile; only their ratios are used.
SyncGroup unnamed_group(const Profile& profile) {
  SyncGroup group{
      .kind = SyncKind::ddp, .name = {}, .ranks = profile.job.ranks, .exposed = {}, .inside = {}, .between = {}};
  for (const CollectiveSummary& row : profile.collectives) {
    const auto calls = static_cast<double>(row.count);
    add_operation(group, row.op, calls, calls * static_cast<double>(row.bytes));
  }
  if (group.bytes - group.summed_bytes > kMostlyRatio * group.summed_bytes) group.kind = SyncKind::unknown;
  return group;
}

}  // namespace

std::vector<SyncGroup> sync_groups(const Profile& profile, const Ledger& ledger) {
  if (ledger.communication.empty()) return {unnamed_group(profile)};
  std::vector<SyncGroup> groups;
  for (const GroupTime& line : ledger.communication) {
    if (line.name.empty() || line.operations.empty()) continue;
    SyncGroup& group = groups.emplace_back();
    group.kind = kind_of(line, profile.script);
    group.name = line.name;
    group.ranks = line.ranks;
    group.between_nodes = line.between_nodes;
    group.exposed = line.exposed;
    group.operations = line.operations;
    group.inside = line.inside;
    group.between = line.between;
    const auto known = std::ranges::find(profile.groups, line.name, &CommGroup::name);
    if (known != profile.groups.end()) group.ranks_per_node = known->ranks_per_node;
    for (const GroupOperation& one : line.operations) add_operation(group, one.op, one.calls, one.bytes);
  }
  return groups;
}

}  // namespace stash
