#include "stash/launch/cluster/peer.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr std::size_t kPeerLineBytes = 4u << 20;  // a fault with what a rank printed last is far below
constexpr std::size_t kMostPeerLines = 64;        // that wait to be taken: nobody has reason to send more
constexpr int kPeerSendMs = 10'000;               // for a peer to make room for a line
constexpr int kPeerPollMs = 50;
constexpr double kPeerBeat_s = 1;

bool can_be_written(int fd) {
  pollfd polled{fd, POLLOUT, 0};
  return poll(&polled, 1, kPeerSendMs) == 1;
}

bool send_whole(int fd, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t sent = ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!can_be_written(fd)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

Peer::Peer(int socket) : reader_(socket, kPeerLineBytes), heard_ns_(now_ns()) {}
Peer::~Peer() { reader_.close(); }

void Peer::send(std::string_view line) {
  const std::lock_guard lock(sending_);
  if (!gone_ && !send_whole(fd(), std::string(line) + '\n')) gone_ = true;
}

void Peer::hear() {
  if (gone_) return;
  const bool open = reader_.read_lines([&](std::string_view line) {
    heard_ns_ = now_ns();
    if (!line.empty()) lines_.emplace_back(line);
  });
  if (!open || lines_.size() > kMostPeerLines) gone_ = true;
}

std::optional<std::string> Peer::take() {
  hear();
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

double Peer::silent_s() const { return seconds(now_ns() - heard_ns_); }

// Closing while something is unread would take away what the other has not read yet.
void Peer::part(double s) {
  {
    const std::lock_guard lock(sending_);
    shutdown(fd(), SHUT_WR);
  }
  const std::int64_t until_ns = now_ns() + nanoseconds(s);
  while (!gone_ && now_ns() < until_ns) {
    wait_for_peers({fd()});
    hear();
    lines_.clear();
  }
  gone_ = true;
}

void wait_for_peers(const std::vector<int>& fds) {
  std::vector<pollfd> polled;
  for (const int fd : fds) polled.push_back({fd, POLLIN, 0});
  poll(polled.data(), polled.size(), kPeerPollMs);
}

Heart::Heart() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

Heart::~Heart() {
  thread_.request_stop();
  thread_.join();
}

void Heart::add(Peer* peer) {
  const std::lock_guard lock(mutex_);
  peers_.push_back(peer);
}

// Signals are for the thread that waits for them.
void Heart::run(const std::stop_token& stop) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::condition_variable_any wake;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    for (Peer* const peer : peers_) peer->send("");
    wake.wait_for(lock, stop, std::chrono::duration<double>(kPeerBeat_s), [] { return false; });
  }
}

}  // namespace stash
