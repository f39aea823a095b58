#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace stash {

// All of these throw Error with the path, the reason and, where the disk is full, what to do.

// A file that is being written; synced when it is finished, so that its pages can be evicted.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void finish();

 private:
  std::filesystem::path path_;
  int fd_;
};

// Where a data set grows before it gets its name: <target>.partial. What an interrupted run left there is removed
// first; without move_to() it is removed with everything in it.
class PartialFolder {
 public:
  explicit PartialFolder(const std::filesystem::path& target);
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void move_to(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  bool moved_ = false;
};

void create_folder(const std::filesystem::path& folder);
void move_into_place(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace stash
