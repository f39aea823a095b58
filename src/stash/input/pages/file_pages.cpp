#include "stash/input/pages/file_pages.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stash/input/pages/page_cache.h"

namespace stash {
namespace {

template <class Action>
std::optional<double> for_each_file(const std::vector<std::string>& paths, Action action) {
  PageCount sum;
  for (const std::string& path : paths) {
    // Non-blocking, so that a pipe without a writer is passed over instead of waited for.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) continue;
    struct stat status{};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      action(PageRange{fd});
      if (const std::optional<PageCount> count = count_pages({fd})) {
        sum.cached += count->cached;
        sum.total += count->total;
      }
    }
    ::close(fd);
  }
  if (sum.total == 0) return std::nullopt;
  return static_cast<double>(sum.cached) / static_cast<double>(sum.total);
}

}  // namespace

std::optional<double> evict_files(const std::vector<std::string>& paths) { return for_each_file(paths, evict_pages); }

std::optional<double> load_files(const std::vector<std::string>& paths) { return for_each_file(paths, load_pages); }

}  // namespace stash
