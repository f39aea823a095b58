#include "stash/launch/loopback_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "stash/core/error.h"

namespace stash {

LoopbackSocket::LoopbackSocket(int port) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (fd_ < 0 || bind(fd_, generic, length) != 0 || listen(fd_, SOMAXCONN) != 0) {
    const int reason = errno;
    if (fd_ >= 0) close(fd_);
    throw Error(reason == EADDRINUSE
                    ? fmt::format("port {} of 127.0.0.1 is in use: leave --port out and a free one is taken", port)
                    : fmt::format("cannot listen on 127.0.0.1 port {}: {}", port, std::strerror(reason)));
  }
  getsockname(fd_, generic, &length);
  port_ = ntohs(address.sin_port);
}

LoopbackSocket::~LoopbackSocket() { close(fd_); }

}  // namespace stash
