#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stash/serve/model/served_model.h"
#include "stash/serve/protocol/http_answer.h"

namespace stash {

// What the JSON of an inference request says, beside its numbers.
struct InferHead {
  std::string id{};
  int rows = 0;
  bool wants_bytes = false;                   // the answer's tensors as bytes behind its JSON
  std::uint32_t outputs = ~std::uint32_t{0};  // which are asked for, a bit each
};
inline constexpr std::size_t kMostTensors = 32;  // that a model takes or gives

// A request of the Open Inference Protocol: JSON, or JSON followed by bytes (the extension for binary tensors).
// `tensor` holds the inputs in the model's order, one after the other; it is of the body, or of `numbers` where they
// came as JSON or in another order.
struct InferMessage {
  InferHead head;
  std::string_view tensor;
  std::string numbers;
};

// Reads the messages of one connection. Clients send the same JSON again and again: it is understood once.
class InferReader {
 public:
  // `json_bytes`: the length of the JSON; the rest of the body is the tensor. What is wrong with it is in the refusal.
  Refusal read(const ServedModel& model, std::string_view body, std::size_t json_bytes, int most_rows,
               InferMessage& message, std::uint64_t model_version = 0);

 private:
  const ServedModel* known_of_ = nullptr;
  std::string known_json_;
  InferHead known_;
  std::uint64_t known_version_ = 0;
  std::size_t known_bytes_ = 0;
};

// The answer with `rows`, the outputs' bytes one after the other: as JSON numbers or behind the JSON.
void append_infer_answer(std::string& out, const ServedModel& model, const InferHead& head, std::string_view rows,
                         bool stays_open);

}  // namespace stash
