#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stash/input/dataset/dataset.h"

namespace stash {

// ImageNet's layout: <folder>/<class>/<file>, files ending in .jpg or .jpeg in any case. Classes and files are
// sorted by name; the class index is the label. Hidden names, other endings and deeper folders are ignored,
// and so is a class without a JPEG file. Links are followed.
class ImageFolder final : public Dataset {
 public:
  explicit ImageFolder(const std::filesystem::path& folder);

  InputKind kind() const override { return InputKind::images; }
  std::int64_t size() const override { return static_cast<std::int64_t>(files_.size()); }
  std::optional<std::int64_t> classes() const override { return static_cast<std::int64_t>(folders_.size()); }
  void locate(std::int64_t index, SampleLocation& location) const override;

 private:
  // Millions of files: their names stand behind each other in one block of memory.
  struct File {
    std::uint64_t name_at;
    std::uint32_t name_length;
    std::uint32_t folder;
  };

  void add_class(const std::filesystem::path& folder);

  std::vector<std::string> folders_;
  std::vector<File> files_;
  std::string names_;
};

}  // namespace stash
