#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stash/serve/protocol/body_memory.h"

namespace stash {

// What a server has to know of a request's head.
struct HttpHead {
  std::string method;
  std::string target;
  std::optional<std::string> json_bytes{};  // Inference-Header-Content-Length, as it came
  bool expects_continue = false;            // the client waits for a word before it sends the body
  bool is_encoded = false;                  // compressed
  bool is_from_page = false;                // of a web site: it has an Origin
};

// Reads the requests of one connection, one after the other, as they come in pieces. The head is kept up to 16 kB, the
// body up to the limit. Hostile input ends in a fault.
class HttpRequestReader {
 public:
  // Bodies are in `memory`, which outlives it.
  explicit HttpRequestReader(std::size_t most_body_bytes, BodyMemory& memory = own_body_memory());
  ~HttpRequestReader();
  HttpRequestReader(const HttpRequestReader&) = delete;
  HttpRequestReader& operator=(const HttpRequestReader&) = delete;

  enum class Outcome { more, request, fault };

  // Takes bytes from the front of `bytes` until a request is whole.
  Outcome take(std::string_view& bytes);
  // Where the rest of a body whose length is known can be received without another copy; empty: it cannot.
  std::span<char> room();
  Outcome filled(std::size_t bytes);  // of room()

  bool has_begun() const;  // something of a request has come
  bool has_head() const;
  const HttpHead& head() const;
  std::string_view body() const;   // of a whole request; until next()
  bool stays_open() const;         // for more requests
  std::size_t held_bytes() const;  // memory for the body
  int fault_status() const;        // of the answer: 400, 413, 431, 505
  const std::string& fault() const;
  void next();  // after a request: makes ready for another

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stash
