#include "stash/launch/extension/extension_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <utility>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/launch/extension/fingerprint.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "_stash.so";
constexpr const char* kStamp = "stamp";
constexpr std::size_t kLimitLibraryBytes = 256 << 20;  // it has some megabytes
constexpr std::size_t kKeptOfATorch = 4;               // of other sources: other checkouts, other revisions

// The stamp's lines after the first, which is the library's fingerprint.
constexpr std::array kKeyLines{&ExtensionKey::torch, &ExtensionKey::build, &ExtensionKey::abi, &ExtensionKey::compiler,
                               &ExtensionKey::sources};

struct Stamp {
  std::string library;
  ExtensionKey key;
};

std::optional<Stamp> read_stamp(const fs::path& folder) {
  Stamp stamp;
  std::ifstream file(folder / kStamp);
  if (!std::getline(file, stamp.library)) return std::nullopt;
  for (const auto line : kKeyLines) {
    if (!std::getline(file, stamp.key.*line)) return std::nullopt;
  }
  return stamp;
}

std::string stamp_text(const std::string& library, const ExtensionKey& key) {
  std::string text = fingerprint(library) + '\n';
  for (const auto line : kKeyLines) text += key.*line + '\n';
  return text;
}

bool is_whole(const fs::path& folder, const Stamp& stamp) {
  try {
    return fingerprint(read_file(folder / kLibrary, kLimitLibraryBytes)) == stamp.library;
  } catch (const Error&) {
    return false;
  }
}

std::vector<fs::path> folders_in(const fs::path& store) {
  std::vector<fs::path> folders;
  std::error_code missing;  // a store that is not there holds nothing
  for (const auto& entry : fs::directory_iterator(store, missing)) {
    if (entry.is_directory(missing)) folders.push_back(entry.path());
  }
  return folders;
}

fs::path folder_of(const fs::path& store, const ExtensionKey& key) {
  return store / fmt::format("{}-{}", torch_name(key), fingerprint(key.compiler + '\n' + key.sources).substr(0, 8));
}

void remove_oldest(const fs::path& store, const ExtensionKey& key) {
  std::vector<std::pair<fs::file_time_type, fs::path>> others;
  std::error_code gone;  // another process may be removing the same
  for (const fs::path& folder : folders_in(store)) {
    const auto stamp = read_stamp(folder);
    if (!stamp || torch_name(stamp->key) != torch_name(key) || stamp->key == key) continue;
    others.emplace_back(fs::last_write_time(folder / kStamp, gone), folder);
  }
  std::ranges::sort(others, std::greater{});
  for (std::size_t i = kKeptOfATorch; i < others.size(); ++i) fs::remove_all(others[i].second, gone);
}

}  // namespace

std::string torch_name(const ExtensionKey& key) {
  const std::string digits = fingerprint(fmt::format("{}\n{}\n{}", key.torch, key.build, key.abi));
  return fmt::format("torch-{}-{}", key.torch, digits.substr(0, 8));
}

std::optional<fs::path> find_extension(const fs::path& store, const ExtensionKey& key, bool any_compiler) {
  if (!any_compiler && !key.compiler.empty()) {
    const fs::path folder = folder_of(store, key);
    const auto stamp = read_stamp(folder);
    return stamp && stamp->key == key && is_whole(folder, *stamp) ? std::optional(folder) : std::nullopt;
  }
  for (const fs::path& folder : folders_in(store)) {
    const auto stamp = read_stamp(folder);
    if (!stamp) continue;
    ExtensionKey wanted = key;
    wanted.compiler = stamp->key.compiler;
    if (stamp->key == wanted && is_whole(folder, *stamp)) return folder;
  }
  return std::nullopt;
}

fs::path keep_extension(const fs::path& store, const ExtensionKey& key, const fs::path& library) {
  const std::string content = read_file(library, kLimitLibraryBytes);
  const fs::path folder = folder_of(store, key);
  const fs::path half = store / fmt::format(".{}.{}", folder.filename().string(), ::getpid());
  fs::remove_all(half);
  fs::create_directories(half);
  write_file_atomically(half / kLibrary, content);
  write_file_atomically(half / kStamp, stamp_text(content, key));
  fs::remove_all(folder);
  fs::rename(half, folder);
  remove_oldest(store, key);
  return folder;
}

std::vector<ExtensionKey> kept_extensions(const fs::path& store) {
  std::vector<ExtensionKey> keys;
  for (const fs::path& folder : folders_in(store)) {
    if (const auto stamp = read_stamp(folder)) keys.push_back(stamp->key);
  }
  return keys;
}

}  // namespace stash
