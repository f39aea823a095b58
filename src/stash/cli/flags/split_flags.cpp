#include "stash/cli/flags/split_flags.h"

#include <CLI/CLI.hpp>

namespace stash {

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

}  // namespace stash
