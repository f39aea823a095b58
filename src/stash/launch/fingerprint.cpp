#include "stash/launch/fingerprint.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace stash {
namespace {

constexpr std::array<std::string_view, 5> kSourceEndings{".h", ".cpp", ".txt", ".cmake", ".py"};

bool is_source(const std::filesystem::path& file) {
  return std::ranges::find(kSourceEndings, file.extension().string()) != kSourceEndings.end();
}

void add_sources(const std::filesystem::path& folder, std::vector<std::string>& entries) {
  std::error_code missing;  // a folder that is not there has no sources
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, missing)) {
    if (is_source(entry.path())) entries.push_back(entry.path().string() + file_identity(entry.path()));
  }
}

}  // namespace

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string file_identity(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string sources_fingerprint(const std::filesystem::path& root, std::span<const std::string_view> folders) {
  std::vector<std::string> entries;
  for (const std::string_view folder : folders) {
    const std::filesystem::path path = root / folder;
    if (std::filesystem::is_directory(path))
      add_sources(path, entries);
    else
      entries.push_back(path.string() + file_identity(path));
  }
  std::ranges::sort(entries);
  std::string all;
  for (const std::string& entry : entries) all += entry + '\n';
  return fingerprint(all);
}

}  // namespace stash
