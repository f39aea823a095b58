#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "stash/serve/server/serve_connection.h"
#include "stash/serve/server/serve_limits.h"

namespace stash {

// The connections of a server, by tag, within its limits.
class ConnectionTable {
 public:
  ConnectionTable(const ServeLimits& limits, BodyMemory& memory, std::uint64_t first_tag)
      : limits_(limits), memory_(memory), next_tag_(first_tag) {}

  struct Accepted {
    ServeConnection& connection;
    int fd;
    std::uint64_t tag;
  };
  // The next client of a socket that listens. Where there is no room, the connection on which nothing was asked for
  // longest ends.
  std::optional<Accepted> accept(int listener_fd);
  bool is_over_limit() const { return connections_.size() > most(); }

  ServeConnection* find(std::uint64_t tag);
  std::size_t size() const { return connections_.size(); }
  template <class Use>
  void for_each(const Use& use) const {
    for (const auto& [tag, one] : connections_) use(*one);
  }

  // What it holds now of the memory of all; false: they hold too much.
  bool count_memory(ServeConnection& connection);
  // Forgets those that are closed, except those in a batch or otherwise in use.
  void drop_closed();
  std::function<bool(const ServeConnection&)> is_in_use;

 private:
  std::size_t most() const { return static_cast<std::size_t>(limits_.connections); }
  void make_room();

  const ServeLimits& limits_;
  BodyMemory& memory_;
  std::uint64_t next_tag_;
  std::unordered_map<std::uint64_t, std::unique_ptr<ServeConnection>> connections_;
  std::size_t memory_bytes_ = 0;
};

}  // namespace stash
