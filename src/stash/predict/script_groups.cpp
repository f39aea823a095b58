#include "stash/predict/script_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kOtherTraffic = 0.01;  // of the bytes, that may go another way than gradients

bool is_sharded(SyncKind kind) { return kind == SyncKind::fsdp || kind == SyncKind::fsdp1; }

bool gathers(const SyncGroup& group) { return group.gathered_bytes + group.scattered_bytes > group.summed_bytes; }

// Sums of gradients over all ranks: what a job of DistributedDataParallel does, by whatever means.
bool sums_over_all(const SyncGroup& group, int ranks) {
  const bool only_sums = group.bytes - group.summed_bytes <= kOtherTraffic * group.bytes;
  return group.ranks == ranks && only_sums && (group.kind == SyncKind::ddp || group.kind == SyncKind::unknown);
}

GroupUse use_of(const SyncGroup& group) {
  switch (group.kind) {
    case SyncKind::ddp:
      return GroupUse::summed;
    case SyncKind::fsdp:
    case SyncKind::fsdp1:
      return gathers(group) ? GroupUse::sharded : GroupUse::summed;
    case SyncKind::pipeline:
      return GroupUse::passed_on;
    case SyncKind::tensor:
    case SyncKind::unknown:
      return GroupUse::blocking;
  }
  return GroupUse::blocking;
}

bool is_model(SyncKind kind) { return kind == SyncKind::tensor || kind == SyncKind::pipeline; }

// Which group grows with the job: of several that share parameters out, the one between the copies.
const SyncGroup* growing(const std::vector<SyncGroup>& groups) {
  const auto find = [&](auto&& holds) -> const SyncGroup* {
    const auto found = std::ranges::find_if(groups, holds);
    return found == groups.end() ? nullptr : &*found;
  };
  if (const SyncGroup* copies = find([](const SyncGroup& g) { return is_sharded(g.kind) && !gathers(g); }))
    return copies;
  if (const SyncGroup* ddp = find([](const SyncGroup& g) { return g.kind == SyncKind::ddp; })) return ddp;
  return find([](const SyncGroup& g) { return is_sharded(g.kind); });
}

// Ranks of one tensor-parallel group are neighbours, then those that share parameters out, then copies, then stages of
// a pipeline: as torch's own meshes, torchtitan's and Megatron's have them.
int place_of(const ScriptGroups::Group& group) {
  if (group.kind == SyncKind::tensor) return 0;
  if (group.as_measured.use == GroupUse::sharded) return 1;
  if (group.as_measured.use == GroupUse::summed) return 2;
  return group.kind == SyncKind::pipeline ? 3 : 4;
}

bool spans_all(const ScriptGroups::Group& group, int ranks) { return group.as_measured.ranks == ranks && !group.grows; }

}  // namespace

std::optional<ScriptGroups> script_groups(const Profile& profile, const Ledger& ledger) {
  const int ranks = profile.job.ranks;
  std::vector<SyncGroup> seen = sync_groups(profile, ledger);
  double all_bytes = 0;
  for (const SyncGroup& group : seen) all_bytes += group.bytes;
  std::erase_if(seen, [&](const SyncGroup& group) { return group.bytes <= kOtherTraffic * all_bytes; });
  if (ledger.communication.empty() || seen.empty()) return std::nullopt;
  if (std::ranges::all_of(seen, [&](const SyncGroup& group) { return sums_over_all(group, ranks); })) {
    return std::nullopt;
  }
  const SyncGroup* const grows = growing(seen);
  ScriptGroups found;
  found.ranks = ranks;
  for (const SyncGroup& group : seen) {
    ScriptGroups::Group& one = found.groups.emplace_back();
    one.as_measured = {.name = group.name, .use = use_of(group), .ranks = group.ranks, .operations = group.operations};
    one.kind = group.kind;
    one.grows = &group == grows;
    one.follows_batch = is_model(group.kind);
    if (is_sharded(group.kind) && gathers(group)) {
      found.shards = group.ranks;
      found.shards_grow = one.grows;
    }
    if (!one.grows && group.ranks < ranks) found.fixed_ranks *= group.ranks;
  }
  if (grows == nullptr && found.fixed_ranks != ranks) {
    std::vector<std::string> names;
    for (const SyncGroup& group : seen) names.push_back(group.name);
    throw Error(
        fmt::format("it is not known which of the script's process groups ({}) grows with its ranks: steps of "
                    "DistributedDataParallel, of fully_shard, and of both beside tensor or pipeline groups can be "
                    "predicted",
                    fmt::join(names, ", ")));
  }
  if (grows != nullptr && found.fixed_ranks * grows->ranks != ranks) {
    throw Error(
        fmt::format("the script's process groups do not make a mesh: {} has {} ranks beside groups of {}, and the job "
                    "has {}",
                    grows->name, grows->ranks, found.fixed_ranks, ranks));
  }
  std::ranges::stable_sort(found.groups, {}, place_of);
  return found;
}

std::vector<StepGroup> ScriptGroups::for_ranks(int all_ranks, double batch_ratio) const {
  std::vector<StepGroup> there;
  int apart = 1;
  for (const Group& group : groups) {
    StepGroup& one = there.emplace_back(group.as_measured);
    if (group.grows) one.ranks = std::max(1, all_ranks / fixed_ranks);
    if (spans_all(group, ranks)) one.ranks = all_ranks;
    if (!spans_all(group, ranks)) {
      one.apart = apart;
      apart *= one.ranks;
    }
    for (GroupOperation& operation : one.operations) {
      if (group.follows_batch) operation.bytes *= batch_ratio;
    }
  }
  return there;
}

int ScriptGroups::shards_for(int all_ranks) const {
  return shards_grow ? std::max(1, all_ranks / fixed_ranks) : shards;
}

std::vector<std::string> ScriptGroups::assumptions() const {
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    const char* const use = group.as_measured.use == GroupUse::sharded     ? "parameters are gathered one unit ahead"
                            : group.as_measured.use == GroupUse::summed    ? "sums go out during the backward pass"
                            : group.as_measured.use == GroupUse::passed_on ? "stages wait for each other"
                                                                           : "every call is waited for";
    const bool grows_too = group.grows || spans_all(group, ranks);
    lines.push_back(fmt::format("process group {}: calls and bytes as logged among {} ranks; {}; {}",
                                group.as_measured.name, group.as_measured.ranks, use,
                                grows_too ? "it grows with the job" : "it keeps its ranks"));
  }
  if (groups.size() > 1) {
    lines.push_back("ranks of a tensor-parallel group are neighbours, then shards, then copies, then stages");
  }
  return lines;
}

}  // namespace stash
