#include "stash/plan/gpt_shard.h"

#include "stash/models/builder.h"

namespace stash {
namespace {

constexpr double kShardDropout = 0.1;
constexpr double kShardEpsilon = 1e-5;
constexpr std::string_view kBlock = "block.";

// One block between embedding and head; the others are like it.
Graph shard_graph(const GptShard& shard) {
  const GptSize& size = shard.size;
  const int tensor = shard.tensor;
  Builder net{"shard"};
  const int words =
      net.embedding("wte", net.tokens(size.max_seq_len, (size.vocabulary + tensor - 1) / tensor), size.hidden);
  int x = net.dropout("drop", net.position("wpe", "wpe.weight", words, size.max_seq_len), kShardDropout);
  int y = net.layer_norm("block.ln_1", x, kShardEpsilon);
  y = net.linear("block.c_attn", y, 3 * size.hidden / tensor);
  y = net.attention("block.attn", y, size.heads / tensor, true, size.fused_attention);
  y = net.dropout("block.resid_dropout", net.linear("block.attn_proj", y, size.hidden), kShardDropout);
  x = net.add("block.add1", x, y);
  y = net.linear("block.c_fc", net.layer_norm("block.ln_2", x, kShardEpsilon), 4 * size.hidden / tensor);
  y = net.linear("block.c_proj", net.activation(Op::gelu, "block.act", y), size.hidden);
  x = net.add("block.add2", x, net.dropout("block.dropout", y, kShardDropout));
  net.loss(Op::next_token_loss, net.tied_linear("lm_head", net.layer_norm("ln_f", x, kShardEpsilon), words));
  return std::move(net).finish(size.vocabulary);
}

// The weights of the block, or those before and after it.
Graph weights_of(const Graph& graph, bool block) {
  Graph part;
  for (const Layer& layer : graph.layers) {
    if (layer.name.starts_with(kBlock) == block) part.layers.push_back(layer);
  }
  return part;
}

bool is_replicated(Op op) { return op == Op::layer_norm || op == Op::dropout || op == Op::add; }

void add(PartTime& part, const StepTime& step, std::size_t layer) {
  part.forward += step.forward[layer];
  part.backward += step.backward[layer];
}

}  // namespace

GptShardTimes gpt_shard_times(const GptShard& shard, const Gpu& gpu, const Efficiency& efficiency) {
  const Graph graph = shard_graph(shard);
  const StepTime step = step_time(graph, shard.micro_batch, shard.dtype, gpu, efficiency, Optimizer::adam);
  GptShardTimes times;
  times.block_update = optimizer_time(weights_of(graph, true), gpu, efficiency, Optimizer::adam);
  times.embedding_update = optimizer_time(weights_of(graph, false), gpu, efficiency, Optimizer::adam);
  bool after_block = false;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    const auto parameters = static_cast<double>(layer.parameter_count());
    if (layer.name.starts_with(kBlock)) {
      after_block = true;
      add(times.block, step, i);
      if (is_replicated(layer.op)) add(times.replicated, step, i);
      if (layer.op == Op::attention) times.attention += step.forward[i];
      times.block_parameters += parameters;
    } else {
      add(!after_block ? times.embedding : layer.output.empty() ? times.loss : times.head, step, i);
      if (layer.op == Op::embedding) times.embedding_parameters += parameters;
      if (layer.op == Op::position) times.positions_parameters += parameters;
    }
  }
  return times;
}

}  // namespace stash
