#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "stash/serve/batching/model_queue.h"
#include "stash/serve/protocol/http_request_reader.h"
#include "stash/serve/protocol/infer_message.h"

namespace stash {

// A client's connection: requests come in, one at a time is answered, the next is read when that answer is sent.
class ServeConnection {
 public:
  // `head` and `body`: something of a request has come; `waiting`: for a model; `draining`: all is said, and what still
  // comes is thrown away, so that the client gets the answer before the connection ends.
  enum class State { idle, reading, waiting, writing, draining, closed };

  ServeConnection(int fd, std::uint16_t peer_port, std::size_t most_body_bytes, BodyMemory& memory)
      : peer_port_(peer_port), fd_(fd), reader_(most_body_bytes, memory) {}
  ~ServeConnection() { close(); }
  ServeConnection(const ServeConnection&) = delete;
  ServeConnection& operator=(const ServeConnection&) = delete;

  State state() const { return state_; }
  const HttpRequestReader& reader() const { return reader_; }
  InferReader& infer_reader() { return infer_reader_; }
  std::uint16_t peer_port() const { return peer_port_; }
  std::uint32_t number() const { return number_; }  // of the request, from 0 on

  enum class Input { none, request, fault, ended };
  // What the socket has, up to a whole request. `buffer` is any memory, used until it returns.
  Input receive(std::span<char> buffer);
  void wait_for_model() { state_ = State::waiting; }
  bool may_read() const { return may_read_; }
  // There is something to read; `is_end`: the client has sent its last byte.
  void let_read(bool is_end) {
    may_read_ = true;
    has_end_ = has_end_ || is_end;
  }

  // Where the answer is to be put; then send() it.
  std::string& out() { return out_; }
  void send_whole(bool stays_open);  // begins to
  void transmit();                   // more of it
  void send_continue();              // the word that a client waits for before it sends a body
  void close();                      // the socket; what is waited for may still end
  void drain(std::span<char> buffer);

  PendingRequest pending;
  InferHead infer_head;          // of the pending request
  InferMessage message;          // whose numbers the pending request may use
  std::int64_t deadline_ns = 0;  // of what the connection is at
  std::int64_t idle_since_ns = 0;
  std::size_t held_bytes = 0;  // as counted by the server

 private:
  Input take(std::string_view bytes);
  void end_of_answer();

  std::uint16_t peer_port_;
  int fd_;
  State state_ = State::idle;
  HttpRequestReader reader_;
  InferReader infer_reader_;
  std::string ahead_;  // what came behind a request
  std::string out_;
  std::size_t sent_ = 0;
  std::uint32_t number_ = 0;
  bool stays_open_ = true;
  bool may_read_ = true;  // as far as is known
  bool has_end_ = false;
  bool has_continued_ = false;
};

}  // namespace stash
