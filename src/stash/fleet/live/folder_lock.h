#pragma once

#include <filesystem>

#include "stash/launch/process/child.h"

namespace stash {

// A fleet has one controller at a time. Makes the folder, for its owner only. Error where another has it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  Fd file_;
};

// Whether a controller has it.
bool is_folder_held(const std::filesystem::path& folder);

}  // namespace stash
