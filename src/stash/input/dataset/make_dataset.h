#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace stash {

struct ImageDatasetOptions {
  std::int64_t images = 0;
  int width = 500;
  int height = 375;
  int classes = 10;
  std::uint64_t seed = 1;
};

struct DatasetSize {
  std::int64_t samples = 0;
  std::int64_t bytes = 0;
};

// Called now and then with what is done so far, by one thread at a time.
using DatasetProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// A folder of class folders of JPEG files that look and weigh like photographs; the same bytes for the same
// options. It appears under its name when it is complete and on disk; on an Error nothing is left. The folder
// must not exist or be empty.
DatasetSize make_image_dataset(const std::filesystem::path& folder, const ImageDatasetOptions& options,
                               const DatasetProgress& progress = {});

// A token file (token_file.h) of random ids below `vocabulary`; written whole or not at all.
DatasetSize make_token_file(const std::filesystem::path& path, std::int64_t tokens, std::int64_t vocabulary,
                            std::uint64_t seed, const DatasetProgress& progress = {});

}  // namespace stash
