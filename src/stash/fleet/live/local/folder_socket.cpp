#include "stash/fleet/live/local/folder_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kTryAgain_s = 0.05;  // a proxy that is being reloaded is there again in a moment

// The folder by a number, which is short.
class FolderAddress {
 public:
  FolderAddress(const std::filesystem::path& folder, std::string_view name)
      : folder_(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_.get() < 0) throw Error(fmt::format("cannot open {}: {}", folder.string(), std::strerror(errno)));
    address_.sun_family = AF_UNIX;
    const std::string path = fmt::format("/proc/self/fd/{}/{}", folder_.get(), name);
    if (path.size() >= sizeof address_.sun_path) throw Error(fmt::format("{} is too long for a socket", name));
    std::memcpy(address_.sun_path, path.c_str(), path.size() + 1);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  const char* path() const { return address_.sun_path; }

 private:
  Fd folder_;
  sockaddr_un address_{};
};

Fd unix_socket() {
  Fd made(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made.get() < 0) throw Error(fmt::format("cannot open a socket: {}", std::strerror(errno)));
  return Fd(made.release());
}

}  // namespace

Fd connect_in_folder(const std::filesystem::path& folder, std::string_view name, std::int64_t deadline_ns) {
  const FolderAddress address(folder, name);
  while (true) {
    Fd socket = unix_socket();
    if (::connect(socket.get(), address.get(), sizeof(sockaddr_un)) == 0) return Fd(socket.release());
    const int error = errno;
    if (now_ns() >= deadline_ns) {
      throw Error(fmt::format("cannot reach the proxy at {}: {}", (folder / name).string(), std::strerror(error)));
    }
    sleep_until_ns(now_ns() + nanoseconds(kTryAgain_s));
  }
}

Fd listen_in_folder(const std::filesystem::path& folder, std::string_view name) {
  const FolderAddress address(folder, name);
  Fd socket = unix_socket();
  ::unlink(address.path());
  if (::bind(socket.get(), address.get(), sizeof(sockaddr_un)) != 0 || ::listen(socket.get(), 16) != 0) {
    throw Error(fmt::format("cannot listen at {}: {}", (folder / name).string(), std::strerror(errno)));
  }
  ::chmod(address.path(), 0600);
  return Fd(socket.release());
}

}  // namespace stash
