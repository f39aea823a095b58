#include "stash/serve/server/listening_socket.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kBacklog = 1024;

}  // namespace

ListeningSocket::ListeningSocket(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found) != 0) {
    throw UsageError(fmt::format(
        "--host takes an address of this machine as a number, like 127.0.0.1 or 0.0.0.0, not {}", address.host));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  socket_ = ClientSocket(socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (!socket_.is_open() || setsockopt(fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(fd(), found->ai_addr, found->ai_addrlen) != 0 || listen(fd(), kBacklog) != 0 ||
      getsockname(fd(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    const bool is_port = errno == EADDRINUSE || errno == EACCES;
    throw Error(fmt::format("cannot listen on {}, port {}: {}; choose another one with {}", address.host, address.port,
                            std::strerror(errno), is_port ? "--port, like 8001 (0: a free one)" : "--host"));
  }
  port_ = port_of(bound);
}

}  // namespace stash
