#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "stash/serve/load/load_target.h"

namespace stash {

// A TCP socket of a client; not blocking.
class ClientSocket {
 public:
  ClientSocket() = default;
  explicit ClientSocket(int fd) : fd_(fd) {}
  ~ClientSocket();
  ClientSocket(ClientSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ClientSocket& operator=(ClientSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Looked up once: connections are then made without asking a name server.
class ServerAddress {
 public:
  explicit ServerAddress(const LoadTarget& target);  // Error where the host is unknown

  // Begins to connect, which is over when the socket can be written. Error where it is refused at once.
  ClientSocket begin_connecting() const;
  // Connects. Error where that fails or takes longer.
  ClientSocket connect(double timeout_s) const;

 private:
  std::string name_;
  std::shared_ptr<addrinfo> found_;
};

// Of an address of IPv4 or IPv6.
std::uint16_t port_of(const sockaddr_storage& address);

// How connecting ended, of a socket that can be written; 0: well. Else an errno.
int connection_error(int fd);

// Sends a request and returns the body of its answer. Error where that fails, is not answered with 2xx, or takes
// longer.
std::string ask(const LoadTarget& target, const std::string& request, double timeout_s);

}  // namespace stash
