#include "stash/view/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/view/connection.h"

namespace stash {

namespace {

using Phase = Connection::Phase;

constexpr int kBacklog = 64;

double now_s() { return seconds(now_ns()); }

[[noreturn]] void fail(int port) {
  const std::string reason = std::generic_category().message(errno);
  throw Error(fmt::format("cannot listen on 127.0.0.1:{}: {}; leave out --port for a free one", port, reason));
}

// The connections of one `serve`.
class Loop {
 public:
  Loop(int listener, int port, const ServerHooks& hooks, const ServerLimits& limits)
      : listener_(listener), port_(port), hooks_(hooks), limits_(limits) {}

  void run(int stop_fd) {
    for (;;) {
      std::vector<pollfd> polled{{stop_fd, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto& one : connections_) polled.push_back({one->fd(), one->wanted_events(), 0});
      if (poll(polled.data(), polled.size(), static_cast<int>(limits_.poll_s * 1000)) < 0 && errno != EINTR) {
        throw Error(fmt::format("cannot wait for requests: {}", std::generic_category().message(errno)));
      }
      if (polled[0].revents != 0) return;
      for (std::size_t i = 2; i < polled.size(); ++i) step(*connections_[i - 2], polled[i].revents);
      if (polled[1].revents != 0) accept_one();
      tell_changes();
      drop_closed();
    }
  }

 private:
  void step(Connection& connection, short events) {
    if ((events & POLLOUT) != 0) connection.transmit();
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && connection.receive()) answer(connection);
  }

  void answer(Connection& connection) {
    const double deadline_s = now_s() + limits_.response_s;
    const std::optional<std::size_t> end = request_end(connection.received());
    if (!end || *end > kMostRequestBytes) {
      return connection.respond(text_response(431, "the request is too large"), false, deadline_s);
    }
    const ParsedRequest parsed = parse_request(std::string_view(connection.received()).substr(0, *end));
    if (!parsed.request) {
      return connection.respond(text_response(parsed.status, "this server answers GET and HEAD requests"), false,
                                deadline_s);
    }
    connection.respond(answer_to(*parsed.request), parsed.request->head, deadline_s);
  }

  Response answer_to(const Request& request) {
    if (!is_own_host(request.host, port_)) return text_response(403, "this server has another name");
    try {
      return hooks_.answer(request);
    } catch (const std::exception& error) {
      return text_response(500, error.what());
    }
  }

  void accept_one() {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    connections_.push_back(std::make_unique<Connection>(fd, now_s() + limits_.request_s));
    if (static_cast<int>(connections_.size()) <= limits_.connections) return;
    // The one that waits longest for its client makes room; listeners to events have no end and are the last.
    const auto oldest =
        std::min_element(connections_.begin(), connections_.end() - 1,
                         [](const auto& a, const auto& b) { return a->deadline_s() < b->deadline_s(); });
    (*oldest)->close();
  }

  void tell_changes() {
    const auto listens = [](const auto& one) { return one->phase() == Phase::streaming; };
    const bool due = now_s() >= next_look_s_;
    if (!due || std::none_of(connections_.begin(), connections_.end(), listens)) return;
    next_look_s_ = now_s() + limits_.poll_s;
    if (!hooks_.changed()) return;
    for (const auto& one : connections_) {
      if (listens(one)) one->send_event(change_event(), now_s() + limits_.response_s);
    }
  }

  void drop_closed() {
    const double now = now_s();
    std::erase_if(connections_,
                  [&](const auto& one) { return one->phase() == Phase::closed || one->deadline_s() < now; });
  }

  int listener_;
  int port_;
  const ServerHooks& hooks_;
  ServerLimits limits_;
  std::vector<std::unique_ptr<Connection>> connections_;
  double next_look_s_ = 0;
};

}  // namespace

Server::Server(int port, ServerLimits limits) : limits_(limits) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) fail(port);
  const int yes = 1;
  setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd_, generic, size) != 0 || listen(fd_, kBacklog) != 0 || getsockname(fd_, generic, &size) != 0) {
    const int error = errno;
    close(fd_);
    errno = error;
    fail(port);
  }
  port_ = ntohs(address.sin_port);
}

Server::~Server() { close(fd_); }

void Server::serve(const ServerHooks& hooks, int stop_fd) { Loop(fd_, port_, hooks, limits_).run(stop_fd); }

bool is_own_host(std::string_view host, int port) {
  for (const std::string_view name : {"127.0.0.1", "localhost"}) {
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  }
  return false;
}

}  // namespace stash
