#include "stash/serve/server/connection_table.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

#include "stash/core/clock.h"
#include "stash/serve/load/client_socket.h"

namespace stash {

std::optional<ConnectionTable::Accepted> ConnectionTable::accept(int listener_fd) {
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  const int fd = accept4(listener_fd, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connections_.size() >= most()) make_room();
  const std::uint64_t tag = next_tag_++;
  auto made = std::make_unique<ServeConnection>(fd, port_of(from), limits_.request_bytes, memory_);
  made->pending.owner = made.get();
  made->idle_since_ns = now_ns();
  ServeConnection& connection = *made;
  connections_.emplace(tag, std::move(made));
  return Accepted{connection, fd, tag};
}

ServeConnection* ConnectionTable::find(std::uint64_t tag) {
  const auto found = connections_.find(tag);
  return found == connections_.end() ? nullptr : found->second.get();
}

bool ConnectionTable::count_memory(ServeConnection& connection) {
  const std::size_t held = connection.reader().held_bytes();
  memory_bytes_ += held - std::exchange(connection.held_bytes, held);
  return memory_bytes_ <= limits_.memory_bytes || !connection.reader().has_begun();
}

void ConnectionTable::make_room() {
  drop_closed();
  if (connections_.size() < most()) return;
  ServeConnection* longest = nullptr;
  for (const auto& [tag, one] : connections_) {
    if (one->state() != ServeConnection::State::idle) continue;
    if (longest == nullptr || one->idle_since_ns < longest->idle_since_ns) longest = one.get();
  }
  if (longest != nullptr) longest->close();
  drop_closed();
}

void ConnectionTable::drop_closed() {
  std::erase_if(connections_, [&](const auto& entry) {
    const ServeConnection& one = *entry.second;
    if (one.state() != ServeConnection::State::closed || one.pending.is_in_batch || is_in_use(one)) return false;
    memory_bytes_ -= one.held_bytes;
    return true;
  });
}

}  // namespace stash
