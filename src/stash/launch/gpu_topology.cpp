#include "stash/launch/gpu_topology.h"

#include <algorithm>
#include <fstream>

#include "stash/launch/process/subprocess.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr double kSmiDeadline_s = 20;  // it wakes the driver up where no GPU is in use
constexpr std::string_view kNvidia = "0x10de";
constexpr std::string_view kDisplayClass = "0x03";  // 0x0300.. with a monitor, 0x0302.. without
constexpr int kMostLanes = 32;                      // that PCIe has

std::string first_line_of(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::optional<int> lanes_in(const fs::path& file) {
  std::ifstream stream(file);
  int lanes = 0;
  // The kernel writes 0 or 255 where it does not know.
  if (!(stream >> lanes) || lanes < 1 || lanes > kMostLanes) return std::nullopt;
  return lanes;
}

}  // namespace

std::optional<std::string> smi_topology_text() {
  if (!find_program("nvidia-smi")) return std::nullopt;
  const CommandResult result = run_command({.arguments = {"nvidia-smi", "topo", "-m"}, .deadline_s = kSmiDeadline_s});
  if (!result.succeeded() || result.output.empty()) return std::nullopt;
  return result.output;
}

std::vector<PcieLanes> gpu_lanes(const fs::path& devices) {
  std::vector<PcieLanes> found;
  std::error_code error;
  for (const auto& device : fs::directory_iterator(devices, error)) {
    const fs::path& folder = device.path();
    if (first_line_of(folder / "vendor") != kNvidia) continue;
    if (!first_line_of(folder / "class").starts_with(kDisplayClass)) continue;
    const auto in_use = lanes_in(folder / "current_link_width"), most = lanes_in(folder / "max_link_width");
    if (in_use && most) found.push_back({folder.filename().string(), *in_use, *most});
  }
  std::ranges::sort(found, {}, &PcieLanes::address);
  return found;
}

std::optional<std::string> product_name(const fs::path& file) {
  std::string name = first_line_of(file);
  while (name.ends_with(' ') || name.ends_with('\r')) name.pop_back();
  return name.empty() ? std::nullopt : std::optional(std::move(name));
}

}  // namespace stash
