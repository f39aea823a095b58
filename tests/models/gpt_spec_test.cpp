#include "stash/models/gpt_spec.h"

#include <gtest/gtest.h>

#include <string>

#include "models/model_fault.h"

namespace stash {
namespace {

// Words and positions; in a block two norms, and products of 3h, h, 4h and h outputs with their biases; the last norm.
std::int64_t parameters(std::int64_t layers, std::int64_t hidden, std::int64_t seq, std::int64_t vocabulary) {
  return (vocabulary + seq) * hidden + layers * (12 * hidden * hidden + 13 * hidden) + 2 * hidden;
}

TEST(GptSpec, ParametersFollowFromItsSizes) {
  EXPECT_EQ(make_model("gpt:layers=2,hidden=64,heads=4,seq=32").parameter_count(), parameters(2, 64, 32, 50257));
  EXPECT_EQ(make_model("gpt:layers=24,hidden=2048,heads=16,seq=1024").parameter_count(),
            parameters(24, 2048, 1024, 50257));
  EXPECT_EQ(make_model("gpt:layers=3,hidden=96,heads=2,seq=16,vocab=51200").parameter_count(),
            parameters(3, 96, 16, 51200));
}

TEST(GptSpec, TheSizeOfGpt2IsGpt2) {
  const Graph graph = make_model("gpt:layers=12,hidden=768,heads=12,seq=1024,attention=fused");
  const Graph gpt2 = make_model("gpt2");
  EXPECT_EQ(graph.parameter_count(), gpt2.parameter_count());
  EXPECT_EQ(graph.forward_ops(), gpt2.forward_ops());
  EXPECT_EQ(graph.backward_ops(), gpt2.backward_ops());
  EXPECT_EQ(graph.name, "gpt:layers=12,hidden=768,heads=12,seq=1024,attention=fused");
}

TEST(GptSpec, TheSequenceCanBeShorterThanItsPositions) {
  const Graph graph = make_model("gpt:layers=2,hidden=64,heads=4,seq=32", {.seq_len = 8});
  EXPECT_EQ(graph.seq_len, 8);
  EXPECT_EQ(graph.parameter_count(), parameters(2, 64, 32, 50257));
}

TEST(GptSpec, UnfusedAttentionMovesItsScoresThroughMemory) {
  const Graph fused = make_model("gpt:layers=1,hidden=64,heads=4,seq=32,attention=fused");
  const Graph unfused = make_model("gpt:layers=1,hidden=64,heads=4,seq=32,attention=unfused");
  double fused_elements = 0, unfused_elements = 0;
  for (const Layer& layer : fused.layers) fused_elements += layer.cost.forward_elements;
  for (const Layer& layer : unfused.layers) unfused_elements += layer.cost.forward_elements;
  EXPECT_DOUBLE_EQ(unfused_elements - fused_elements, 6.5 * 4 * 32 * 32);
  EXPECT_LT(unfused.backward_ops(), fused.backward_ops());  // the scores are not computed again
}

TEST(GptSpec, ABadSizeIsNamedWithTheNearest) {
  EXPECT_NE(model_fault("gpt:layer=2,hidden=64,heads=4,seq=32").find("'layers'"), std::string::npos);
  EXPECT_NE(model_fault("gpt:layers=2,hidden=64,heads=4").find("seq is missing"), std::string::npos);
  EXPECT_NE(model_fault("gpt:").find("layers is missing"), std::string::npos);
  EXPECT_NE(model_fault("gpt:layers=2,hidden=65,heads=4,seq=32").find("hidden=65 is not a multiple of heads=4"),
            std::string::npos);
  EXPECT_NE(model_fault("gpt:layers=2,layers=3,hidden=64,heads=4,seq=32").find("layers is given twice"),
            std::string::npos);
  EXPECT_NE(model_fault("gpt:layers=2,hidden=64,heads=4,seq=32,attention=fusd").find("'fused'"), std::string::npos);
}

TEST(GptSpec, ValuesAreBounded) {
  for (const char* value : {"0", "-1", "513", "99999999999999999999", "2.5", "", "two", "2 "}) {
    const std::string spec = std::string("gpt:hidden=64,heads=4,seq=32,layers=") + value;
    EXPECT_NE(model_fault(spec).find("layers="), std::string::npos) << spec;
  }
  EXPECT_NE(model_fault("gpt:layers=2,hidden=64,heads=4,seq=131073").find("2 to 131072"), std::string::npos);
  EXPECT_NE(model_fault("gpt:layers").find("layers="), std::string::npos);
  EXPECT_NE(model_fault("gpt:,,,").find("unknown key"), std::string::npos);
}

}  // namespace
}  // namespace stash
