#pragma once

#include <memory>
#include <optional>

#include "stash/launch/pool/pool_socket.h"
#include "stash/share/pool/pool_book.h"

namespace stash {

struct PoolServerOptions {
  PoolOptions pool;  // `workers` follows from the next three
  int cores = 1;     // for loader workers
  double workers_per_core = 1;
  bool counts_load = true;  // of processes that are not in the pool
};

// The pool of a machine: a loop over its sockets, which sleeps while nothing happens.
class PoolServer {
 public:
  PoolServer(const PoolListener& listener, const PoolServerOptions& options);
  ~PoolServer();
  PoolServer(const PoolServer&) = delete;
  PoolServer& operator=(const PoolServer&) = delete;

  // Serves until `stop_fd` is readable, or for `most_s`; -1 and nullopt: never.
  void serve(int stop_fd, std::optional<double> most_s = std::nullopt);
  PoolState state() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stash
