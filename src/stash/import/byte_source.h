#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace stash {

// The bytes of a file in order, decompressed where it is a gzip file.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills from the front; fewer bytes than asked for only at the end. Error when the disk fails.
  virtual std::size_t read(std::span<char> into) = 0;
  // A compressed file ended, or was damaged, before its last byte.
  virtual bool cut_short() const { return false; }
};

// By the file's first bytes, not by its name. Error when it cannot be opened or is a folder.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

}  // namespace stash
