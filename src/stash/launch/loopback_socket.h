#pragma once

namespace stash {

// A listening TCP socket on 127.0.0.1, opened here so that the port is known to be free and ours.
class LoopbackSocket {
 public:
  explicit LoopbackSocket(int port);   // 0: any free one; Error when it is taken
  ~LoopbackSocket();
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;

  int fd() const { return fd_; }
  int port() const { return port_; }

 private:
  int fd_ = -1;
  int port_ = 0;
};

}  // namespace stash
