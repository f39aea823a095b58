#include "stash/launch/run_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "stash/core/error.h"

namespace stash {

namespace fs = std::filesystem;

RunFolder::RunFolder() {
  std::string pattern = (fs::temp_directory_path() / "stash-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw Error(fmt::format("cannot make a folder like {}; is the disk full?", pattern));
  }
  path_ = pattern;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace stash
