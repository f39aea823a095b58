#include "stash/cli/flags/split_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "stash/core/error.h"
#include "stash/plan/device_list.h"

namespace stash {
namespace {

void check_split(const std::optional<int>& value, std::string_view flag) {
  if (!value || (*value >= 1 && *value <= kMostPlannedDevices)) return;
  throw UsageError(fmt::format("{} {} is out of range: it takes 1 to {}", flag, *value, kMostPlannedDevices));
}

}  // namespace

void SplitFlags::add_to(CLI::App& app) {
  app.add_option("--data", data_, "Data-parallel ranks of a language model")->type_name("N");
  app.add_option("--tensor", tensor_, "Tensor-parallel ranks, which split every layer")->type_name("N");
  app.add_option("--pipeline", pipeline_, "Stages of the pipeline")->type_name("N");
  app.add_option("--shards", shards_, "Data-parallel ranks that share weights, gradients and optimizer state")
      ->type_name("N");
  app.add_option("--interleave", interleave_, "Pieces of each pipeline stage (1: not interleaved)")->type_name("N");
  app.add_option("--micro-batch", micro_batch_, "Samples of a data-parallel rank in one pass")->type_name("N");
  app.add_option("--recompute", recompute_, "What the backward pass computes again")->type_name("none|selective|full");
  // A flag's own variable could not say that nobody gave it.
  app.add_flag_function(
      "--sequence-parallel,!--no-sequence-parallel", [this](std::int64_t sign) { sequence_parallel_ = sign > 0; },
      "Sequences split over the tensor-parallel ranks, where layers are not; or --no-sequence-parallel");
  app.add_flag_function(
      "--shard-optimizer,!--no-shard-optimizer", [this](std::int64_t sign) { shard_optimizer_ = sign > 0; },
      "Optimizer state shared among the data-parallel ranks; or --no-shard-optimizer");
}

bool SplitFlags::any() const {
  return data_ || tensor_ || pipeline_ || shards_ || interleave_ || micro_batch_ || recompute_ || sequence_parallel_ ||
         shard_optimizer_;
}

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
