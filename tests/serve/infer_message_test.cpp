#include "stash/serve/protocol/infer_message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace stash {
namespace {

ServedModel pairs() {
  const TensorSpec spec{.name = "x", .type = find_tensor_type("FP32"), .shape = {2}};
  ServedModel model{.name = "pairs", .platform = "test", .input = spec, .output = spec, .times = BatchTimes({{1, 0}})};
  model.output.name = "y";
  return model;
}

const std::string kHeadOfTwo =
    R"({"id":"7","inputs":[{"name":"x","datatype":"FP32","shape":[2,2],"parameters":{"binary_data_size":16}}],)"
    R"("outputs":[{"name":"y","parameters":{"binary_data":true}}]})";

Refusal read_text(const std::string& json, const std::string& rest = "") {
  InferReader reader;
  InferMessage message;
  return reader.read(pairs(), json + rest, json.size(), 4, message);
}

TEST(InferMessage, NumbersBecomeBytes) {
  const ServedModel model = pairs();
  InferReader reader;
  InferMessage message;
  const std::string json = R"({"inputs":[{"name":"x","datatype":"FP32","shape":[2,2],"data":[[1,2],[3,4.5]]}]})";
  EXPECT_EQ(reader.read(model, json, json.size(), 4, message).status, 0);
  const float expected[] = {1, 2, 3, 4.5};
  EXPECT_EQ(message.tensor, std::string_view(reinterpret_cast<const char*>(expected), sizeof expected));
  EXPECT_EQ(message.head.rows, 2);
  EXPECT_FALSE(message.head.wants_bytes);
}

TEST(InferMessage, BytesBehindTheJsonAreTheTensor) {
  const ServedModel model = pairs();
  InferReader reader;
  for (const std::string bytes : {"0123456789abcdef", "fedcba9876543210"}) {  // the second time it is known
    InferMessage message;
    const std::string body = kHeadOfTwo + bytes;
    EXPECT_EQ(reader.read(model, body, kHeadOfTwo.size(), 4, message).status, 0);
    EXPECT_EQ(message.tensor, bytes);
    EXPECT_EQ(message.head.id, "7");
    EXPECT_TRUE(message.head.wants_bytes);
  }
}

TEST(InferMessage, AKnownHeadDoesNotHideMissingBytes) {
  const ServedModel model = pairs();
  InferReader reader;
  InferMessage message;
  EXPECT_EQ(reader.read(model, kHeadOfTwo + "0123456789abcdef", kHeadOfTwo.size(), 4, message).status, 0);
  EXPECT_EQ(reader.read(model, kHeadOfTwo + "0123456789abcde", kHeadOfTwo.size(), 4, message).status, 400);
  EXPECT_EQ(reader.read(model, kHeadOfTwo + "0123456789abcdef", kHeadOfTwo.size(), 1, message).status, 400);
}

TEST(InferMessage, WhatDoesNotFitTheModelIsSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", "'inputs' must be a list"},
      {R"({"inputs":[{"name":"z"}]})", "the model's input is 'x'"},
      {R"({"inputs":[{"name":"x","datatype":"INT8"}]})", "takes FP32, not \"INT8\""},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,3]}]})", "shape [N, 2], not [1,3]"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[9,2]}]})", "1 to 4 samples here, not 9"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[-1,2]}]})", "1 to 4 samples here, not -1"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1e99,2]}]})", "shape [N, 2]"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2]}]})", "neither 'data' nor"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1]}]})", "takes 2 numbers, not 1"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2,3]}]})", "more numbers than its shape"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,"a"]}]})", "not \"a\""},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]})",
       "takes 8 bytes, and 0 bytes came"},
      {R"({"id":5,"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}]})", "'id' must be a text"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}],"outputs":[{"name":"q"}]})",
       "the model's output is 'y'"}};
  for (const auto& [json, said] : cases) {
    const Refusal refusal = read_text(json);
    EXPECT_EQ(refusal.status, 400) << json;
    EXPECT_NE(refusal.why.find(said), std::string::npos) << json << ": " << refusal.why;
  }
}

TEST(InferMessage, TheAnswerIsJsonOrJsonAndBytes) {
  const ServedModel model = pairs();
  const float numbers[] = {1, 2.5};
  const std::string_view rows(reinterpret_cast<const char*>(numbers), sizeof numbers);
  std::string out;
  append_infer_answer(out, model, {.id = "a\"b", .rows = 1}, rows, true);
  const auto json = nlohmann::json::parse(out.substr(out.find("\r\n\r\n") + 4));
  EXPECT_EQ(json["id"], "a\"b");
  EXPECT_EQ(json["outputs"][0]["data"], nlohmann::json({1.0, 2.5}));
  out.clear();
  append_infer_answer(out, model, {.rows = 1, .wants_bytes = true}, rows, false);
  EXPECT_TRUE(std::string_view(out).ends_with(rows));
  EXPECT_NE(out.find("Connection: close"), std::string::npos);
}

TEST(InferMessage, AnyBytesAreReadOrRefused) {
  std::mt19937 random(3);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string json = kHeadOfTwo;
    for (unsigned n = random() % 5; n > 0; --n) {
      const std::size_t place = random() % json.size();
      if (random() % 2 == 0) {
        json[place] = "{}[]\":,0129-e.x"[random() % 15];
      } else {
        json.insert(place, json.substr(random() % json.size(), random() % 20));
      }
    }
    refused += read_text(json, "0123456789abcdef").status == 400 ? 1 : 0;
  }
  EXPECT_GT(refused, 5000);
  EXPECT_LT(refused, 20'000);
}

}  // namespace
}  // namespace stash
