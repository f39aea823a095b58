#include <fmt/format.h>

#include <cmath>

#include "stash/models/builder.h"
#include "stash/models/families.h"
#include "stash/models/sequence.h"

namespace stash {
namespace {

constexpr int kVocabulary = 30522;
constexpr int kPositions = 512;
constexpr int kTokenTypes = 2;
constexpr int kDefaultSeqLen = 384;          // the length at which BERT is tuned on SQuAD
constexpr int kDefaultPretrainSeqLen = 128;  // the length of the first nine tenths of its pre-training
constexpr double kMaskedRatio = 0.15;        // tokens that pre-training predicts
constexpr double kBertDropout = 0.1;
constexpr double kBertEpsilon = 1e-12;

int embeddings(Builder& net, int x) {
  const std::string name = "bert.embeddings.";
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

struct Encoded {
  int words = 0;  // the embedding
  int output = 0;
};

Encoded encoder(Builder& net, const BertSize& size, const InputSize& input, int default_seq_len) {
  const int tokens = net.tokens(sequence_length(size.name, input, default_seq_len, kPositions), kVocabulary);
  const int words = net.embedding("bert.embeddings.word_embeddings", tokens, size.hidden);
  int x = embeddings(net, words);
  for (int i = 0; i < size.layers; ++i) x = encoder_layer(net, i, x, size);
  return {words, x};
}

// Only the masked tokens go through the product with the vocabulary, as in the published trainings.
int masked_words(Builder& net, const Encoded& encoded) {
  const Shape& shape = net.output(encoded.output);
  const int masked = static_cast<int>(std::ceil(kMaskedRatio * static_cast<double>(shape[0])));
  const int hidden = static_cast<int>(shape[1]);
  int x = net.take_tokens("cls.predictions.masked", encoded.output, masked);
  x = net.linear("cls.predictions.transform.dense", x, hidden);
  x = net.activation(Op::gelu, "cls.predictions.transform.gelu", x);
  x = net.layer_norm("cls.predictions.transform.LayerNorm", x, kBertEpsilon);
  return net.tied_linear("cls.predictions", x, encoded.words, true);
}

int next_sentence(Builder& net, int encoded) {
  int x = net.take_token("bert.pooler.first", encoded, 0);
  x = net.linear("bert.pooler.dense", x, static_cast<int>(net.output(encoded).back()));
  return net.linear("cls.seq_relationship", net.activation(Op::tanh, "bert.pooler.tanh", x), 2);
}

}  // namespace

Graph make_bert(const BertSize& size, const InputSize& input) {
  Builder net{std::string(size.name)};
  const Encoded encoded = encoder(net, size, input, kDefaultSeqLen);
  net.loss(Op::span_loss, net.linear("qa_outputs", encoded.output, 2));
  return std::move(net).finish(kVocabulary);
}

Graph make_bert_pretrain(const BertSize& size, const InputSize& input) {
  Builder net{std::string(size.name)};
  const Encoded encoded = encoder(net, size, input, kDefaultPretrainSeqLen);
  const int words = masked_words(net, encoded);
  net.loss(Op::pretraining_loss, words, next_sentence(net, encoded.output), 1);
  return std::move(net).finish(kVocabulary);
}

}  // namespace stash
