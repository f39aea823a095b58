#pragma once

#include <string>
#include <string_view>

namespace stash {

// What a request is refused with: a status of HTTP, and a sentence that says what to do.
struct Refusal {
  int status = 0;  // 0: it is not refused
  std::string why{};
};

struct HttpAnswer {
  int status = 200;
  std::string_view type = "application/json";
  std::string body{};
  bool stays_open = true;
  bool is_head_only = false;  // of a HEAD request
};

// {"error": why}
HttpAnswer error_answer(const Refusal& refusal);

// What goes over the wire.
void append_answer(std::string& out, const HttpAnswer& answer);

// The head of an answer whose body, `bytes` long, follows; the first `json_bytes` of it are JSON, the rest tensors.
void append_tensor_head(std::string& out, std::size_t json_bytes, std::size_t bytes, bool stays_open);

}  // namespace stash
