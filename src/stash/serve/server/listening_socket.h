#pragma once

#include "stash/serve/load/client_socket.h"
#include "stash/serve/server/model_server.h"

namespace stash {

// A TCP socket that listens; not blocking. Error where the address is taken or is none of this machine.
class ListeningSocket {
 public:
  explicit ListeningSocket(const ListenAddress& address);

  int fd() const { return socket_.fd(); }
  int port() const { return port_; }

 private:
  ClientSocket socket_;
  int port_ = 0;
};

}  // namespace stash
