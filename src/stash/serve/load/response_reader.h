#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace stash {

// Reads the answers of one connection, piece by piece, one after the other. Keeps nothing of a body unless asked to.
class ResponseReader {
 public:
  explicit ResponseReader(std::size_t most_body_bytes, bool keeps_body = false);
  ~ResponseReader();
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;

  enum class Outcome { more, answer, fault };

  // Takes bytes from the front of `bytes` until an answer is whole: then `status` and the rest are of it. `fault`: what
  // came is no answer that HTTP/1.1 allows, or is too large; nothing can be read any more.
  Outcome take(std::string_view& bytes);
  // The connection has ended, which may end an answer without a length.
  Outcome end();

  int status() const;
  bool stays_open() const;  // for more requests
  const std::string& body() const;
  std::string fault() const;  // in words
  void next();                // after an answer: makes ready for another

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stash
