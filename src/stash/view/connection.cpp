#include "stash/view/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>

#include "stash/core/clock.h"

namespace stash {

namespace {

constexpr double kNoDeadline_s = std::numeric_limits<double>::infinity();
constexpr double kDrain_s = 2;                  // for a client to see the end of its answer and close
constexpr std::size_t kMostUnsentBytes = 4096;  // of events that a client does not take

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connection::~Connection() { ::close(fd_); }

short Connection::wanted_events() const {
  if (phase_ == Phase::writing) return POLLOUT;
  return sent_ < out_.size() ? POLLIN | POLLOUT : POLLIN;
}

// After the request nothing is expected: what still comes is dropped, so that closing does not reset the connection
// before the client has read its answer.
bool Connection::receive() {
  std::array<char, 4096> piece;
  const ssize_t count = recv(fd_, piece.data(), piece.size(), 0);
  if (count < 0 && would_block()) return false;
  if (count <= 0) close();
  if (phase_ != Phase::reading) return false;
  in_.append(piece.data(), static_cast<std::size_t>(count));
  return in_.size() > kMostRequestBytes || request_end(in_).has_value();
}

void Connection::respond(const Response& response, bool head_only, double deadline_s) {
  out_ = wire_bytes(response, head_only);
  in_.clear();
  is_stream_ = response.is_stream && !head_only;
  phase_ = Phase::writing;
  deadline_s_ = deadline_s;
  transmit();
}

void Connection::send_event(const std::string& event, double deadline_s) {
  if (out_.size() - sent_ > kMostUnsentBytes) return close();
  out_.erase(0, sent_);
  sent_ = 0;
  out_ += event;
  deadline_s_ = deadline_s;
  transmit();
}

void Connection::transmit() {
  while (sent_ < out_.size()) {
    const ssize_t count = send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (count < 0 && would_block()) return;
    if (count <= 0) return close();
    sent_ += static_cast<std::size_t>(count);
  }
  end_of_output();
}

void Connection::end_of_output() {
  out_.clear();
  sent_ = 0;
  if (is_stream_) {
    phase_ = Phase::streaming;
    deadline_s_ = kNoDeadline_s;
    return;
  }
  phase_ = Phase::draining;
  deadline_s_ = seconds(now_ns()) + kDrain_s;
  shutdown(fd_, SHUT_WR);
}

}  // namespace stash
