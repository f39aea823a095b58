#pragma once

#include <string>
#include <string_view>

#include "stash/serve/model/served_model.h"
#include "stash/serve/protocol/http_answer.h"

namespace stash {

// What the JSON of an inference request says, beside its numbers.
struct InferHead {
  std::string id{};
  int rows = 0;
  bool wants_bytes = false;  // the answer's tensor as bytes behind its JSON
};

// A request of the Open Inference Protocol for one input: JSON, or JSON followed by bytes (the extension for binary
// tensors). `tensor` is of the body, or of `numbers` where they came as JSON.
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
               InferMessage& message);

 private:
  const ServedModel* known_of_ = nullptr;
  std::string known_json_;
  InferHead known_;
};

// The answer with `rows`, the output's bytes: as JSON numbers or behind the JSON.
void append_infer_answer(std::string& out, const ServedModel& model, const InferHead& head, std::string_view rows,
                         bool stays_open);

}  // namespace stash
