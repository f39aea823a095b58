#include "stash/serve/load/load_connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

namespace stash {
namespace {

constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 30;
constexpr std::size_t kMostAtOnce = 64;

bool is_for_later(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

LoadConnection::LoadConnection(const ServerAddress& address, std::string_view request)
    : socket_(address.begin_connecting()), request_(request), reader_(kMostAnswerBytes) {}

void LoadConnection::finish_connecting() {
  state_ = connection_error(fd()) == 0 ? State::open : State::broken;
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (getsockname(fd(), reinterpret_cast<sockaddr*>(&own), &size) == 0) port_ = port_of(own);
}

void LoadConnection::add(std::uint32_t number) {
  numbers_.push_back(number);
  ++to_send_;
  ++added_;
}

void LoadConnection::transmit() {
  while (to_send_ > 0 && state_ == State::open) {
    std::array<iovec, kMostAtOnce> pieces;
    const std::size_t count = std::min(to_send_, kMostAtOnce);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t skipped = i == 0 ? sent_bytes_ : 0;
      pieces[i] = {const_cast<char*>(request_.data()) + skipped, request_.size() - skipped};
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    const ssize_t sent = sendmsg(fd(), &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (!is_for_later(errno)) state_ = State::broken;
      return;
    }
    sent_bytes_ += static_cast<std::size_t>(sent);
    to_send_ -= sent_bytes_ / request_.size();
    sent_bytes_ %= request_.size();
  }
}

std::string_view LoadConnection::read_some(std::span<char> buffer) {
  const ssize_t count = recv(fd(), buffer.data(), buffer.size(), 0);
  if (count > 0) return {buffer.data(), static_cast<std::size_t>(count)};
  if (count == 0 || !is_for_later(errno)) state_ = State::broken;
  if (count == 0 && !numbers_.empty()) ended_ = reader_.end() == ResponseReader::Outcome::answer;
  return {};
}

bool LoadConnection::has_answer(std::string_view& bytes) {
  if (std::exchange(ended_, false)) return true;
  if (bytes.empty() || state_ == State::broken) return false;
  const auto outcome = numbers_.empty() ? ResponseReader::Outcome::fault : reader_.take(bytes);
  if (outcome == ResponseReader::Outcome::fault) state_ = State::broken;
  return outcome == ResponseReader::Outcome::answer;
}

}  // namespace stash
