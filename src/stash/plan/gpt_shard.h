#pragma once

#include "stash/catalog/roofline.h"
#include "stash/models/families.h"

namespace stash {

// What one rank of `tensor` computes of a GPT, as Megatron-LM cuts it: heads and hidden units of each block, and the
// vocabulary. Norms, dropouts and residuals are on every rank, unless sequences are split too.
struct GptShard {
  GptSize size;
  int tensor = 1;
  int micro_batch = 1;
  DType dtype = DType::fp16;
};

// Forward and backward of a part of the network on one rank.
struct PartTime {
  PassTime forward;
  PassTime backward;
};

struct GptShardTimes {
  PartTime block;       // one transformer block
  PartTime replicated;  // of the block: what every tensor-parallel rank repeats
  PassTime attention;   // of the block's forward: scores and what follows up to their product with the values
  PartTime embedding;
  PartTime head;  // final norm and vocabulary
  PartTime loss;
  PassTime block_update;      // by the optimizer
  PassTime embedding_update;  // the same, with positions
  double block_parameters = 0;
  double embedding_parameters = 0;  // the head uses the embedding's
  double positions_parameters = 0;
};

// By the roofline of the GPU's generation, as every layer time in `predict`.
GptShardTimes gpt_shard_times(const GptShard& shard, const Gpu& gpu, const Efficiency& efficiency);

}  // namespace stash
