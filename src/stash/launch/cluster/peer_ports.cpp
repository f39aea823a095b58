#include "stash/launch/cluster/peer_ports.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kPortStep = 1000;  // Stash's own default ports of other jobs on the host are fewer apart
constexpr int kLowestPort = 1024, kPorts = 65536 - kLowestPort;
constexpr int kPeerBacklog = 1024;
constexpr int kConnectMs = 3000;

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// `host` empty: every interface.
Found numeric_address(const std::string& host, int family, int port) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (host.empty() ? AI_PASSIVE : AI_NUMERICHOST);
  addrinfo* found = nullptr;
  if (getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    found = nullptr;
  return {found, freeaddrinfo};
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

int open_socket(const addrinfo& at) {
  const int fd = socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int yes = 1;
  if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return fd;
}

bool listens(const addrinfo& at, Fd& listener) {
  listener.reset(open_socket(at));
  const int yes = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  return bind(listener.get(), at.ai_addr, at.ai_addrlen) == 0 && listen(listener.get(), kPeerBacklog) == 0;
}

bool is_connected(int fd) {
  pollfd polled{fd, POLLOUT, 0};
  if (poll(&polled, 1, kConnectMs) != 1) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

}  // namespace

std::array<int, 4> peer_ports(int meeting) {
  std::array<int, 4> ports{};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports[i] = kLowestPort + (meeting + kPorts - kLowestPort + kPortStep * static_cast<int>(i + 1)) % kPorts;
  }
  return ports;
}

int listen_for_peers(const std::string& address, int meeting, Fd& listener) {
  const Found own = numeric_address(address, AF_UNSPEC, meeting);
  const int family = own ? own->ai_family : AF_INET;
  for (const int port : peer_ports(meeting)) {
    const Found at = numeric_address(is_loopback(address) ? address : "", family, port);
    if (at && listens(*at, listener)) return port;
  }
  const std::string why = std::strerror(errno);
  listener.close();
  throw Error(
      fmt::format("cannot listen for the other processes on port {} ({}): set MASTER_PORT to another, on all ranks",
                  fmt::join(peer_ports(meeting), ", "), why));
}

void connect_to_peer(const std::string& address, int port, Fd& connection) {
  const Found at = numeric_address(address, AF_UNSPEC, port);
  if (!at) return;
  connection.reset(open_socket(*at));
  const bool begun = connect(connection.get(), at->ai_addr, at->ai_addrlen) == 0 || errno == EINPROGRESS;
  if (!begun || !is_connected(connection.get())) connection.close();
}

}  // namespace stash
