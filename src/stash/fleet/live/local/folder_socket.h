#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "stash/launch/process/child.h"

namespace stash {

// Unix sockets in a folder whose path may be longer than an address of a socket. Not blocking. Error where it fails.
Fd connect_in_folder(const std::filesystem::path& folder, std::string_view name, std::int64_t deadline_ns);
Fd listen_in_folder(const std::filesystem::path& folder, std::string_view name);  // in place of one that was there

}  // namespace stash
