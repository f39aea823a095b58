#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "stash/models/graph.h"

namespace stash {

// Where the bytes of one sample are.
struct SampleLocation {
  std::string path;
  std::int64_t offset_bytes = 0;
  std::optional<std::int64_t> bytes = std::nullopt;  // nullopt: to the end of the file
  std::int64_t label = 0;                            // images: the class
};

// Samples on disk, addressed by index. Immutable and safe to share between threads.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual InputKind kind() const = 0;
  virtual std::int64_t size() const = 0;                    // samples, at least one
  virtual std::optional<std::int64_t> classes() const = 0;  // images: class folders; tokens: the vocabulary,
                                                            // where the file says it
  virtual void locate(std::int64_t index, SampleLocation& location) const = 0;  // reuses the location's memory
};

// Images: a folder of class folders of JPEG files. Tokens: a file of ids; a sample is `seq_len` + 1 of them.
// Error when it is missing, of the wrong kind, unreadable, empty or too short.
std::shared_ptr<const Dataset> open_dataset(const std::filesystem::path& path, InputKind kind, int seq_len = 0);

}  // namespace stash
