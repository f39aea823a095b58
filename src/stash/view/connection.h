#pragma once

#include <string>

#include "stash/view/request.h"
#include "stash/view/response.h"

namespace stash {

// One client: its request comes in, its answer goes out, each piece by piece and with a deadline. Owns the socket.
class Connection {
 public:
  enum class Phase { reading, writing, streaming, draining, closed };

  Connection(int fd, double deadline_s) : fd_(fd), deadline_s_(deadline_s) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  Phase phase() const { return phase_; }
  double deadline_s() const { return deadline_s_; }
  short wanted_events() const;  // for poll

  // Takes what has come. True: the head of a request is whole, or too large, in `received`.
  bool receive();
  const std::string& received() const { return in_; }

  void respond(const Response& response, bool head_only, double deadline_s);
  void send_event(const std::string& event, double deadline_s);
  void transmit();  // as much as the socket takes
  void close() { phase_ = Phase::closed; }

 private:
  void end_of_output();

  int fd_;
  double deadline_s_;
  Phase phase_ = Phase::reading;
  bool is_stream_ = false;
  std::string in_;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace stash
