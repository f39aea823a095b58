#include <fmt/format.h>

#include "stash/core/error.h"
#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

constexpr int kPatch = 16;
constexpr int kHidden = 768;
constexpr int kMlp = 3072;
constexpr int kHeads = 12;
constexpr int kLayers = 12;
constexpr double kVitEpsilon = 1e-6;

int self_attention(Builder& net, const std::string& name, int x) {
  x = net.linear(name + ".in_proj", x, 3 * kHidden, true, "_");
  x = net.attention(name, x, kHeads, false);
  return net.linear(name + ".out_proj", x, kHidden);
}

int mlp(Builder& net, const std::string& name, int x) {
  x = net.linear(name + ".0", x, kMlp);
  x = net.activation(Op::gelu, name + ".1", x);
  return net.linear(name + ".3", x, kHidden);
}

int encoder_layer(Builder& net, int index, int x) {
  const std::string name = fmt::format("encoder.layers.encoder_layer_{}.", index);
  const int attended = self_attention(net, name + "self_attention", net.layer_norm(name + "ln_1", x, kVitEpsilon));
  x = net.add(name + "add1", x, attended);
  return net.add(name + "add2", x, mlp(net, name + "mlp", net.layer_norm(name + "ln_2", x, kVitEpsilon)));
}

}  // namespace

Graph make_vit_b_16(const InputSize& input) {
  if (input.image_size % kPatch != 0) {
    throw UsageError(fmt::format("vit_b_16 cannot take images of {} pixels: it cuts them into patches of {}",
                                 input.image_size, kPatch));
  }
  Builder net("vit_b_16");
  int x = net.image(input.image_size);
  x = net.conv2d("conv_proj", x, {.channels = kHidden, .kernel = kPatch, .stride = kPatch, .bias = true});
  x = net.class_token("class_token", net.patches("patches", x));
  x = net.position("encoder.position", "encoder.pos_embedding", x, static_cast<int>(net.output(x)[0]));
  for (int i = 0; i < kLayers; ++i) x = encoder_layer(net, i, x);
  x = net.take_token("take_token", net.layer_norm("encoder.ln", x, kVitEpsilon), 0);
  net.loss(Op::classification_loss, net.linear("heads.head", x, kImageNetClasses));
  return std::move(net).finish(kImageNetClasses);
}

}  // namespace stash
