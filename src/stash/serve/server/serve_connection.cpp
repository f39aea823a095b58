#include "stash/serve/server/serve_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr std::size_t kMostKeptAnswer = 1 << 20;
constexpr std::size_t kMostAhead = 1 << 16;

bool is_only_later() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

ServeConnection::Input ServeConnection::take(std::string_view bytes) {
  if (state_ == State::idle && !bytes.empty()) {
    state_ = State::reading;
    pending.times = {};
    pending.times.begun_ns = now_ns();
  }
  const auto outcome = reader_.take(bytes);
  if (outcome == HttpRequestReader::Outcome::fault) return Input::fault;
  ahead_.assign(bytes);
  return outcome == HttpRequestReader::Outcome::request ? Input::request : Input::none;
}

ServeConnection::Input ServeConnection::receive(std::span<char> buffer) {
  if (!ahead_.empty()) {
    const std::string before = std::move(ahead_);
    ahead_.clear();
    if (const Input input = take(before); input != Input::none) return input;
  }
  while (may_read_) {
    const std::span<char> room = reader_.room();
    const std::span<char> into = room.empty() ? buffer.first(std::min(buffer.size(), kMostAhead)) : room;
    const ssize_t count = recv(fd_, into.data(), into.size(), 0);
    if (count == 0) return Input::ended;
    if (count < 0) {
      if (errno == EINTR) continue;
      may_read_ = false;
      return is_only_later() ? Input::none : Input::ended;
    }
    // A stream that gave less than was asked for has no more, except its end.
    if (static_cast<std::size_t>(count) < into.size() && !has_end_) may_read_ = false;
    Input input = Input::none;
    if (room.empty()) {
      input = take({into.data(), static_cast<std::size_t>(count)});
    } else if (reader_.filled(static_cast<std::size_t>(count)) == HttpRequestReader::Outcome::request) {
      input = Input::request;
    }
    if (input != Input::none) return input;
    if (reader_.has_head() && reader_.head().expects_continue && !has_continued_) return Input::none;
  }
  return Input::none;
}

void ServeConnection::send_continue() {
  if (has_continued_ || !reader_.has_head() || !reader_.head().expects_continue) return;
  has_continued_ = true;
  constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
  // On a connection that waits for an answer to its head there is room for this.
  if (send(fd_, kGoOn.data(), kGoOn.size(), MSG_NOSIGNAL) < 0) close();
}

void ServeConnection::send_whole(bool stays_open) {
  stays_open_ = stays_open;
  state_ = fd_ >= 0 ? State::writing : State::closed;
  sent_ = 0;
  transmit();
}

void ServeConnection::transmit() {
  while (state_ == State::writing && sent_ < out_.size()) {
    const ssize_t count = send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) return close();
    sent_ += static_cast<std::size_t>(count);
  }
  if (state_ == State::writing) end_of_answer();
}

void ServeConnection::end_of_answer() {
  out_.clear();
  if (out_.capacity() > kMostKeptAnswer) out_.shrink_to_fit();
  ++number_;
  has_continued_ = false;
  reader_.next();
  state_ = State::idle;
  idle_since_ns = now_ns();
  if (stays_open_) return;
  state_ = State::draining;
  shutdown(fd_, SHUT_WR);
}

void ServeConnection::drain(std::span<char> buffer) {
  while (state_ == State::draining) {
    const ssize_t count = recv(fd_, buffer.data(), buffer.size(), 0);
    if (count > 0 || (count < 0 && errno == EINTR)) continue;
    if (count < 0 && errno == EAGAIN) return;
    close();
  }
}

void ServeConnection::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  state_ = State::closed;
}

}  // namespace stash
