#include "stash/fleet/live/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr const char* kLockName = "controller.lock";

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  std::error_code fault;
  if (std::filesystem::create_directories(folder, fault)) ::chmod(folder.c_str(), 0700);
  const std::filesystem::path file = folder / kLockName;
  file_.reset(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file_.get() < 0) {
    throw Error(fmt::format("cannot use the folder {}: {}; name another one with --folder", folder.string(),
                            std::strerror(errno)));
  }
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(
        fmt::format("another controller runs the fleet in {}: end it, or name another --folder", folder.string()));
  }
}

bool is_folder_held(const std::filesystem::path& folder) {
  const Fd file(::open((folder / kLockName).c_str(), O_RDWR | O_CLOEXEC));
  return file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

}  // namespace stash
