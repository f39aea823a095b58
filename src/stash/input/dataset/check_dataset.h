#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stash/input/dataset/make_dataset.h"
#include "stash/models/graph.h"

namespace stash {

struct BrokenFile {
  std::string path;
  std::string reason;  // "is empty"
};

struct DatasetCheck {
  InputKind kind = InputKind::images;
  DatasetSize size;                     // images, or tokens
  std::optional<std::int64_t> classes;  // or the vocabulary, where the file says it
  std::int64_t broken_count = 0;
  std::vector<BrokenFile> broken;  // at most kNamedBroken of them
};

inline constexpr std::size_t kNamedBroken = 100;

// Reads and decodes every image of a folder, one after the other, or reads a token file's header. Error when it
// is neither.
DatasetCheck check_dataset(const std::filesystem::path& path, const DatasetProgress& progress = {});

}  // namespace stash
