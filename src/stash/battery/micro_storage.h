#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "stash/battery/figure.h"

namespace stash {

inline constexpr std::int64_t kStorageBytes = 240 << 20;  // ten windows of 24 MiB: a rate, also of a laptop's disk

inline constexpr const char* kStorageFiles = "storage-files.";  // how the names of what is made for it begin

// The storage of `folder`, cold (pages evicted) and hot (pages in the cache), one reader:
//   storage_sequential   bytes_per_s   1 MiB at a time
//   storage_random_4k    reads_per_s   at random places of a file of `bytes`, and 128 kB likewise
//   storage_files_10kB   files_per_s   opened, read and closed; and 110kB and 1MB
// Cold figures are absent where pages cannot be evicted. What is made for it is gone afterwards. Error: it cannot be
// made.
std::vector<Figure> measure_storage(const std::filesystem::path& folder, std::int64_t bytes = kStorageBytes);

}  // namespace stash
