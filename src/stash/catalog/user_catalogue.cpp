#include "stash/catalog/user_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <unordered_map>

#include "stash/catalog/instance_json.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/words.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

// All of AWS's instances with GPUs take 54 kB.
constexpr std::size_t kLargestFile = 4 << 20;
constexpr std::size_t kMostFiles = 100;

struct UserFile {
  std::string newest;  // date of its newest row
  fs::path path;
  Catalogue rows;
};

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && (name.ends_with(".json") || name.ends_with(".csv"))) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

UserFile read_user_file(const fs::path& path) {
  const std::string text = read_file(path, kLargestFile);
  UserFile file{"", path, {}};
  file.rows =
      path.extension() == ".csv" ? parse_instances(text, path.string()) : instances_from_json_text(text, path.string());
  for (const Instance& row : file.rows.instances) file.newest = std::max(file.newest, row.date);
  return file;
}

// A catalogue that grows by name.
class Merger {
 public:
  explicit Merger(std::span<const Instance> built_in) {
    for (const Instance& instance : built_in) add(instance);
  }

  void add(const Instance& row) {
    const auto [place, is_new] = places_.emplace(lower_case(row.name), result.instances.size());
    if (is_new) {
      result.instances.push_back(row);
    } else {
      overlay(result.instances[place->second], row);
    }
  }

  Catalogue result;

 private:
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

fs::path user_catalogue_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
    return fs::path(data) / "stash" / "catalog";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".local" / "share" / "stash" / "catalog";
  return {};
}

Catalogue read_catalogue(const fs::path& folder) {
  Merger merger(instance_table());
  std::vector<UserFile> files;
  for (const fs::path& path : files_in(folder)) {
    try {
      if (files.size() == kMostFiles) throw Error(fmt::format("more than {} files are not read", kMostFiles));
      files.push_back(read_user_file(path));
    } catch (const Error& error) {
      merger.result.warnings.push_back(fmt::format("a file of the catalogue is left out: {}", error.what()));
    }
  }
  std::ranges::sort(files, {}, [](const UserFile& file) { return std::tie(file.newest, file.path); });
  for (const UserFile& file : files) {
    for (const Instance& row : file.rows.instances) merger.add(row);
    std::ranges::copy(file.rows.warnings, std::back_inserter(merger.result.warnings));
  }
  return std::move(merger.result);
}

Catalogue read_catalogue() { return read_catalogue(user_catalogue_folder()); }

fs::path write_user_instances(const fs::path& folder, std::string_view name, std::span<const Instance> instances) {
  if (folder.empty()) throw Error("there is no home folder for the catalogue; set XDG_DATA_HOME to a folder");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("cannot make {} for the catalogue ({}); set XDG_DATA_HOME to a folder that can be written",
                            folder.string(), error.message()));
  }
  const fs::path path = folder / fmt::format("{}.json", name);
  write_file_atomically(path, to_json_text(instances));
  return path;
}

}  // namespace stash
