#include "stash/launch/extension/fingerprint.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "stash/core/file.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kSourceEndings{".h", ".cpp", ".txt", ".cmake", ".py", ".csv", ".in"};
constexpr std::size_t kLimitSourceBytes = 16 << 20;

bool is_source(const fs::path& file) {
  return std::ranges::find(kSourceEndings, file.extension().string()) != kSourceEndings.end();
}

void add_sources(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code missing;  // a folder that is not there has no sources
  for (const auto& entry : fs::recursive_directory_iterator(folder, missing)) {
    if (is_source(entry.path())) files.push_back(entry.path());
  }
}

}  // namespace

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string file_identity(const std::filesystem::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string sources_fingerprint(const fs::path& root, std::span<const std::string_view> folders) {
  std::vector<fs::path> files;
  for (const std::string_view folder : folders) {
    const fs::path path = root / folder;
    if (fs::is_directory(path))
      add_sources(path, files);
    else if (fs::exists(path))
      files.push_back(path);
  }
  std::ranges::sort(files);
  std::string all;
  for (const fs::path& file : files) {
    const std::string content = read_file(file, kLimitSourceBytes);
    all += fmt::format("{} {} {}\n", file.lexically_relative(root).string(), content.size(), fingerprint(content));
  }
  return fingerprint(all);
}

}  // namespace stash
