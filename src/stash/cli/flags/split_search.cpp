#include <fmt/format.h>

#include "stash/cli/flags/split_flags.h"
#include "stash/core/error.h"
#include "stash/plan/device_list.h"
#include "stash/plan/gpt_search.h"

namespace stash {
namespace {

void check_split(const std::optional<int>& value, std::string_view flag) {
  if (!value || (*value >= 1 && *value <= kMostPlannedDevices)) return;
  throw UsageError(fmt::format("{} {} is out of range: it takes 1 to {}", flag, *value, kMostPlannedDevices));
}

}  // namespace

GptSearch SplitFlags::search() const {
  check_split(data_, "--data");
  check_split(tensor_, "--tensor");
  check_split(pipeline_, "--pipeline");
  check_split(shards_, "--shards");
  check_split(interleave_, "--interleave");
  check_split(micro_batch_, "--micro-batch");
  GptSearch search{.data = data_,
                   .tensor = tensor_,
                   .pipeline = pipeline_,
                   .shards = shards_,
                   .interleave = interleave_,
                   .micro_batch = micro_batch_};
  if (recompute_) search.recompute = parse_recompute(*recompute_);
  search.sequence_parallel = sequence_parallel_;
  search.shard_optimizer = shard_optimizer_;
  return search;
}

}  // namespace stash
