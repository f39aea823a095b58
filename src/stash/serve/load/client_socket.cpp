#include "stash/serve/load/client_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/serve/load/response_reader.h"

namespace stash {
namespace {

constexpr std::size_t kMostAskedBytes = 16 << 20;

// False: the time is over.
bool wait_for(int fd, short events, std::int64_t deadline_ns) {
  while (true) {
    const std::int64_t left_ms = (deadline_ns - now_ns()) / 1'000'000;
    if (left_ms < 0) return false;
    pollfd one{.fd = fd, .events = events, .revents = 0};
    const int ready = poll(&one, 1, static_cast<int>(left_ms) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

class Asking {
 public:
  Asking(const LoadTarget& target, double timeout_s)
      : name_(target.authority()),
        deadline_ns_(now_ns() + nanoseconds(timeout_s)),
        socket_(ServerAddress(target).connect(timeout_s)) {}

  std::string answer_to(std::string_view request) {
    while (!request.empty()) {
      wait(POLLOUT);
      const ssize_t sent = send(socket_.fd(), request.data(), request.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) fail(std::strerror(errno));
      if (sent > 0) request.remove_prefix(static_cast<std::size_t>(sent));
    }
    ResponseReader reader(kMostAskedBytes, true);
    while (!receive_into(reader)) continue;
    if (reader.status() / 100 != 2) {
      fail(fmt::format("it answers with status {}: {}", reader.status(), reader.body().substr(0, 200)));
    }
    return reader.body();
  }

 private:
  [[noreturn]] void fail(std::string_view why) const { throw Error(fmt::format("{}: {}", name_, why)); }

  void wait(short events) const {
    if (!wait_for(socket_.fd(), events, deadline_ns_)) fail("it does not answer in time");
  }

  // True: the answer is whole.
  bool receive_into(ResponseReader& reader) {
    wait(POLLIN);
    std::array<char, 16384> buffer;
    const ssize_t count = recv(socket_.fd(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno != EAGAIN) fail(std::strerror(errno));
    if (count < 0) return false;
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    const auto outcome = count == 0 ? reader.end() : reader.take(bytes);
    if (outcome == ResponseReader::Outcome::fault) fail(fmt::format("it does not speak HTTP: {}", reader.fault()));
    return outcome == ResponseReader::Outcome::answer;
  }

  std::string name_;
  std::int64_t deadline_ns_;
  ClientSocket socket_;
};

}  // namespace

ClientSocket::~ClientSocket() {
  if (fd_ >= 0) close(fd_);
}

ServerAddress::ServerAddress(const LoadTarget& target) : name_(target.authority()) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &found);
  if (error != 0) throw Error(fmt::format("{}: {}", target.host, gai_strerror(error)));
  found_ = std::shared_ptr<addrinfo>(found, freeaddrinfo);
}

ClientSocket ServerAddress::begin_connecting() const {
  const addrinfo& to = *found_;
  ClientSocket made(socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) throw Error(fmt::format("cannot open a socket: {}", std::strerror(errno)));
  const int yes = 1;
  setsockopt(made.fd(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(made.fd(), to.ai_addr, to.ai_addrlen) != 0 && errno != EINPROGRESS) {
    throw Error(fmt::format("cannot connect to {}: {}", name_, std::strerror(errno)));
  }
  return made;
}

ClientSocket ServerAddress::connect(double timeout_s) const {
  ClientSocket made = begin_connecting();
  if (!wait_for(made.fd(), POLLOUT, now_ns() + nanoseconds(timeout_s))) {
    throw Error(fmt::format("cannot connect to {}: no answer", name_));
  }
  if (const int error = connection_error(made.fd()); error != 0) {
    throw Error(fmt::format("cannot connect to {}: {}; is the server running?", name_, std::strerror(error)));
  }
  return made;
}

std::uint16_t port_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

int connection_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

std::string ask(const LoadTarget& target, const std::string& request, double timeout_s) {
  return Asking(target, timeout_s).answer_to(request);
}

}  // namespace stash
