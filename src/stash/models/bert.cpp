#include <fmt/format.h>

#include "stash/models/builder.h"
#include "stash/models/families.h"
#include "stash/models/sequence.h"

namespace stash {
namespace {

constexpr int kVocabulary = 30522;
constexpr int kPositions = 512;
constexpr int kTokenTypes = 2;
constexpr int kDefaultSeqLen = 384;  // the length at which BERT is tuned on SQuAD
constexpr double kBertDropout = 0.1;
constexpr double kBertEpsilon = 1e-12;

int embeddings(Builder& net, int x, int hidden) {
  const std::string name = "bert.embeddings.";
  x = net.embedding(name + "word_embeddings", x, hidden);
  x = net.position(name + "position_embeddings", name + "position_embeddings.weight", x, kPositions);
  x = net.constant_row(name + "token_type_embeddings", x, kTokenTypes);
  x = net.layer_norm(name + "LayerNorm", x, kBertEpsilon);
  return net.dropout(name + "dropout", x, kBertDropout);
}

// Projects back to the hidden size, adds the residual and normalises after it.
int output(Builder& net, const std::string& name, int x, int residual) {
  x = net.linear(name + ".dense", x, static_cast<int>(net.output(residual).back()));
  x = net.dropout(name + ".dropout", x, kBertDropout);
  x = net.add(name + ".add", x, residual);
  return net.layer_norm(name + ".LayerNorm", x, kBertEpsilon);
}

// Query, key and value are one product of the same size as the published three. The attention weights themselves
// get no dropout, so that every device can use its fused kernel.
int encoder_layer(Builder& net, int index, int input, const BertSize& size) {
  const std::string name = fmt::format("bert.encoder.layer.{}.", index);
  int x = net.linear(name + "attention.self.qkv", input, 3 * size.hidden);
  x = net.attention(name + "attention.self", x, size.heads, false);
  const int attended = output(net, name + "attention.output", x, input);
  x = net.linear(name + "intermediate.dense", attended, 4 * size.hidden);
  x = net.activation(Op::gelu, name + "intermediate.gelu", x);
  return output(net, name + "output", x, attended);
}

}  // namespace

Graph make_bert(const BertSize& size, const ModelOptions& options) {
  Builder net{std::string(size.name)};
  int x = net.tokens(sequence_length(size.name, options, kDefaultSeqLen, kPositions), kVocabulary);
  x = embeddings(net, x, size.hidden);
  for (int i = 0; i < size.layers; ++i) x = encoder_layer(net, i, x, size);
  net.loss(Op::span_loss, net.linear("qa_outputs", x, 2));
  return std::move(net).finish(kVocabulary);
}

}  // namespace stash
