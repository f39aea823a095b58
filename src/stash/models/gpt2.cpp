#include <fmt/format.h>

#include "stash/models/builder.h"
#include "stash/models/families.h"
#include "stash/models/sequence.h"

namespace stash {
namespace {

constexpr double kGptDropout = 0.1;
constexpr double kGptEpsilon = 1e-5;

// As in bert.cpp, the attention weights themselves get no dropout.
int attention(Builder& net, const std::string& name, int x, const GptSize& size) {
  x = net.linear(name + ".c_attn", x, 3 * size.hidden);
  x = net.attention(name, x, size.heads, true, size.fused_attention);
  x = net.linear(name + ".c_proj", x, size.hidden);
  return net.dropout(name + ".resid_dropout", x, kGptDropout);
}

int mlp(Builder& net, const std::string& name, int x, const GptSize& size) {
  x = net.linear(name + ".c_fc", x, 4 * size.hidden);
  x = net.activation(Op::gelu, name + ".act", x);
  x = net.linear(name + ".c_proj", x, size.hidden);
  return net.dropout(name + ".dropout", x, kGptDropout);
}

int block(Builder& net, int index, int x, const GptSize& size) {
  const std::string name = fmt::format("transformer.h.{}.", index);
  x = net.add(name + "add1", x, attention(net, name + "attn", net.layer_norm(name + "ln_1", x, kGptEpsilon), size));
  return net.add(name + "add2", x, mlp(net, name + "mlp", net.layer_norm(name + "ln_2", x, kGptEpsilon), size));
}

}  // namespace

Graph make_gpt(const GptSize& size, const InputSize& input) {
  Builder net{std::string(size.name)};
  const int seq_len = sequence_length(size.name, input, size.max_seq_len, size.max_seq_len);
  const int words = net.embedding("transformer.wte", net.tokens(seq_len, size.vocabulary), size.hidden);
  int x = net.position("transformer.wpe", "transformer.wpe.weight", words, size.max_seq_len);
  x = net.dropout("transformer.drop", x, kGptDropout);
  for (int i = 0; i < size.layers; ++i) x = block(net, i, x, size);
  x = net.layer_norm("transformer.ln_f", x, kGptEpsilon);
  net.loss(Op::next_token_loss, net.tied_linear("lm_head", x, words));
  return std::move(net).finish(size.vocabulary);
}

}  // namespace stash
