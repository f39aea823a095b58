#include "stash/input/dataset/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {

namespace {

namespace fs = std::filesystem;

bool has_jpeg_ending(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string ending = lower_case(name.substr(dot + 1));
  return ending == "jpg" || ending == "jpeg";
}

struct Listing {
  std::vector<std::string> folders;
  std::vector<std::string> jpeg_files;
};

Listing list(const fs::path& folder) {
  Listing listing;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::string name = entries->path().filename().string();
    std::error_code ignored;  // a dangling link is no folder; reading it will say what is wrong
    if (name.starts_with('.')) continue;
    if (entries->is_directory(ignored)) {
      listing.folders.push_back(std::move(name));
    } else if (has_jpeg_ending(name)) {
      listing.jpeg_files.push_back(std::move(name));
    }
  }
  if (error) throw Error(fmt::format("cannot read the folder '{}': {}", folder.string(), error.message()));
  std::sort(listing.folders.begin(), listing.folders.end());
  std::sort(listing.jpeg_files.begin(), listing.jpeg_files.end());
  return listing;
}

constexpr std::string_view kLayout =
    "images are expected as <folder>/<class>/<name>.jpg; `stash dataset make` writes such a folder";

[[noreturn]] void fail_without_images(const fs::path& folder, const Listing& top) {
  const std::string what = !top.folders.empty()      ? "has class folders but no .jpg or .jpeg file in them"
                           : !top.jpeg_files.empty() ? "has JPEG files but no class folders"
                                                     : "has no class folders";
  throw Error(fmt::format("the data folder '{}' {}; {}", folder.string(), what, kLayout));
}

}  // namespace

ImageFolder::ImageFolder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) {
    const bool missing = !error || error == std::errc::no_such_file_or_directory;
    throw Error(fmt::format("the data folder '{}' {}; {}", folder.string(),
                            missing ? "does not exist" : "cannot be read: " + error.message(), kLayout));
  }
  if (!fs::is_directory(status)) throw Error(fmt::format("'{}' is not a folder; {}", folder.string(), kLayout));
  const Listing top = list(folder);
  for (const std::string& name : top.folders) add_class(folder / name);
  if (files_.empty()) fail_without_images(folder, top);
}

void ImageFolder::add_class(const fs::path& folder) {
  const Listing listing = list(folder);
  if (listing.jpeg_files.empty()) return;
  const auto index = static_cast<std::uint32_t>(folders_.size());
  folders_.push_back(folder.string() + '/');
  for (const std::string& name : listing.jpeg_files) {
    files_.push_back({names_.size(), static_cast<std::uint32_t>(name.size()), index});
    names_ += name;
  }
}

void ImageFolder::locate(std::int64_t index, SampleLocation& location) const {
  const File& file = files_.at(static_cast<std::size_t>(index));
  location.path = folders_[file.folder];
  location.path.append(names_, file.name_at, file.name_length);
  location.offset_bytes = 0;
  location.bytes.reset();
  location.label = file.folder;
}

}  // namespace stash
