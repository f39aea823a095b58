#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "stash/launch/process/child.h"

namespace stash {

// Where this user's pool listens when nothing else is said: a folder of the user's own.
std::filesystem::path default_pool_socket();

// Connected and not blocking; holds no descriptor (get() < 0) where no pool listens. Error: the pool is another user's.
void connect_to_pool(const std::filesystem::path& socket, Fd& connection);

// The listening end, which only this user can open. It is gone with this object; a socket that a killed pool left
// behind is taken over. Error when another pool listens there.
class PoolListener {
 public:
  explicit PoolListener(const std::filesystem::path& socket);
  ~PoolListener();
  PoolListener(const PoolListener&) = delete;
  PoolListener& operator=(const PoolListener&) = delete;

  int fd() const { return listener_.get(); }
  const std::filesystem::path& path() const { return path_; }
  // The next connection, not blocking; -1: there is none, or it was of another user and is closed.
  int accept() const;

 private:
  std::filesystem::path path_;
  Fd lock_;
  Fd listener_;
};

// Sends a line (which has its line break) whole; false where the other end is gone or does not read any more.
bool send_line(int connection, std::string_view line);

// The other end is a process of this user.
bool is_own_peer(int connection);

// Asks the pool for its state: one line. Error when no pool answers.
std::string ask_pool_state(const std::filesystem::path& socket);

}  // namespace stash
