#include "stash/launch/pool/pool_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/pool/pool_messages.h"
#include "stash/launch/process/line_channel.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr int kPoolBacklog = 64;
constexpr double kAnswer_s = 5;
constexpr std::size_t kMostState = 64u << 20;  // bytes of the pool's state

std::string reason() { return std::generic_category().message(errno); }

sockaddr_un address_of(const fs::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = socket.string();
  if (text.size() >= sizeof address.sun_path) {
    throw UsageError(fmt::format("--socket {}: the path is longer than the {} bytes that a socket's may have", text,
                                 sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

Fd& open_socket(Fd& fd) {
  fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) throw Error(fmt::format("cannot make a socket: {}", reason()));
  return fd;
}

// A folder that others could write to would let them put their own socket there.
void make_own_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Error(fmt::format("cannot make {}: {}", folder.string(), reason()));
  }
  struct stat facts{};
  if (::lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() ||
      (facts.st_mode & 077) != 0) {
    throw Error(
        fmt::format("{} is not a folder that only you can open: remove it, or name another socket with "
                    "--socket",
                    folder.string()));
  }
}

}  // namespace

fs::path default_pool_socket() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/' && fs::is_directory(runtime)) return fs::path(runtime) / "stash-pool";
  return fs::temp_directory_path() / fmt::format("stash-{}", ::geteuid()) / "pool";
}

// Without the signal that a write to nobody would raise: it would end a training.
bool send_line(int connection, std::string_view line) {
  while (!line.empty()) {
    const ssize_t sent = ::send(connection, line.data(), line.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    line.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool is_own_peer(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

void connect_to_pool(const fs::path& socket, Fd& connection) {
  const sockaddr_un address = address_of(socket);
  open_socket(connection);
  if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const bool forbidden = errno == EACCES || errno == EPERM;
    connection.close();
    if (forbidden) throw Error(fmt::format("the pool at {} is another user's", socket.string()));
    return;
  }
  if (is_own_peer(connection.get())) return;
  connection.close();
  throw Error(fmt::format("the pool at {} is another user's", socket.string()));
}

PoolListener::PoolListener(const fs::path& socket) : path_(socket) {
  const sockaddr_un address = address_of(socket);
  if (socket == default_pool_socket() && std::getenv("XDG_RUNTIME_DIR") == nullptr) {
    make_own_folder(socket.parent_path());
  }
  // The lock goes with the process, however it ends; the socket's file does not.
  const std::string lock = socket.string() + ".lock";
  lock_.reset(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock_.get() < 0) throw Error(fmt::format("cannot open {}: {}", lock, reason()));
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(
        fmt::format("a pool listens at {} already: jobs join it; `stash share status` shows it", path_.string()));
  }
  struct stat facts{};
  if (::lstat(path_.c_str(), &facts) == 0) {
    if (!S_ISSOCK(facts.st_mode)) {
      throw UsageError(fmt::format("--socket {}: there is a file that is no socket", path_.string()));
    }
    ::unlink(path_.c_str());
  }
  open_socket(listener_);
  const mode_t before = ::umask(0177);
  const int bound = ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const std::string why = reason();
  ::umask(before);
  if (bound != 0) throw Error(fmt::format("cannot make the socket {}: {}", path_.string(), why));
  if (::listen(listener_.get(), kPoolBacklog) != 0) {
    throw Error(fmt::format("cannot listen at {}: {}", path_.string(), reason()));
  }
}

// The lock's file stays: removed, it could be another pool's by then.
PoolListener::~PoolListener() { ::unlink(path_.c_str()); }

int PoolListener::accept() const {
  Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection.get() < 0 || !is_own_peer(connection.get())) return -1;
  return connection.release();
}

std::string ask_pool_state(const fs::path& socket) {
  Fd connection;
  connect_to_pool(socket, connection);
  if (connection.get() < 0) {
    throw Error(fmt::format("no pool listens at {}: start one with `stash share pool`", socket.string()));
  }
  if (!send_line(connection.get(), to_line(PoolRequest{StatusMessage{}})))
    throw Error("the pool went away before it could be asked");
  LineReader reader(connection.get(), kMostState);
  const std::int64_t deadline_ns = now_ns() + nanoseconds(kAnswer_s);
  std::optional<std::string> state;
  while (!state && now_ns() < deadline_ns) {
    pollfd polled{connection.get(), POLLIN, 0};
    ::poll(&polled, 1, 100);
    const bool open = reader.read_lines([&](std::string_view line) {
      if (!state) state = std::string(line);
    });
    if (!open) break;
  }
  if (!state) throw Error(fmt::format("the pool at {} does not answer", socket.string()));
  return *std::move(state);
}

}  // namespace stash
