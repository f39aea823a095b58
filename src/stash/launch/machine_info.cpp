#include "stash/launch/machine_info.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "stash/core/version.h"
#include "stash/launch/process/affinity.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

// The value after "key:" in a file of such lines.
std::optional<std::string> field(const char* path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return std::nullopt;
}

std::int64_t memory_field_bytes(std::string_view key) {
  const std::string text = field("/proc/meminfo", key).value_or("0");
  return std::atoll(text.c_str()) * 1024;
}

std::optional<std::int64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // missing, or "max"
}

// Pages of files count as used by a control group, but give way when memory is asked for.
std::int64_t cached_in_group_bytes() {
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  std::string key;
  std::int64_t value = 0;
  while (file >> key >> value) {
    if (key == "file") return value;
  }
  return 0;
}

// "vda ext4", from the mount table's entry of the device that holds `path`.
std::optional<std::string> disk_of(const fs::path& path) {
  struct stat status;
  if (path.empty() || stat(path.c_str(), &status) != 0) return std::nullopt;
  const std::string device = fmt::format("{}:{}", major(status.st_dev), minor(status.st_dev));
  std::ifstream mounts("/proc/self/mountinfo");
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    std::string id, parent, number, word, kind, source;
    words >> id >> parent >> number;
    if (number != device) continue;
    while (words >> word && word != "-") {
    }
    words >> kind >> source;
    return fs::path(source).filename().string() + ' ' + kind;
  }
  return std::nullopt;
}

}  // namespace

int count_gpus() {
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    const std::string_view text = visible;
    if (text.empty() || text == "-1") return 0;
    return 1 + static_cast<int>(std::count(text.begin(), text.end(), ','));
  }
  std::error_code error;
  const fs::directory_iterator gpus("/proc/driver/nvidia/gpus", error);
  return error ? 0 : static_cast<int>(std::distance(begin(gpus), end(gpus)));
}

std::vector<std::string> gpu_models() {
  std::vector<std::string> models;
  std::error_code error;
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    if (auto model = field((gpu.path() / "information").c_str(), "Model")) models.push_back(*std::move(model));
  }
  std::ranges::sort(models);
  return models;
}

std::int64_t available_memory_bytes() {
  std::int64_t available = memory_field_bytes("MemAvailable");
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (limit && used) {
    const std::int64_t kept = *used - cached_in_group_bytes();
    available = std::min(available, std::max<std::int64_t>(*limit - kept, 0));
  }
  return available;
}

Machine describe_machine(const fs::path& data) {
  utsname names{};
  uname(&names);
  Machine machine;
  machine.hostname = names.nodename;
  machine.kernel = fmt::format("{} {} {}", names.sysname, names.release, names.machine);
  machine.cpu = field("/proc/cpuinfo", "model name").value_or(names.machine);
  machine.cores = static_cast<int>(allowed_cores().size());
  machine.memory_bytes = memory_field_bytes("MemTotal");
  machine.disk = disk_of(data);
  machine.versions["stash"] = kVersion;
  return machine;
}

}  // namespace stash
