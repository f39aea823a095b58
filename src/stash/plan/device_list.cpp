#include "stash/plan/device_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {
namespace {

constexpr int kMostKinds = 16;
constexpr int kCommonGpus = 8;  // of a machine; larger ones are rare

struct Asked {
  std::optional<int> count;
  std::string name;
};

// "64xTPUv2" or "p4d.24xlarge".
Asked parse_one(const std::string& text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool counted = end != text.data() && end < text.data() + text.size() && (*end == 'x' || *end == 'X');
  if (!counted) return {std::nullopt, text};
  if (error != std::errc() || count < 1 || count > kMostPlannedDevices) {
    throw UsageError(
        fmt::format("--on {}: a number of devices is a whole number from 1 to {}", text, kMostPlannedDevices));
  }
  return {count, std::string(end + 1, text.data() + text.size())};
}

std::vector<std::string> split_by_plus(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t plus = std::min(text.find('+', at), text.size());
    words.emplace_back(text.substr(at, plus - at));
    at = plus + 1;
  }
  return words;
}

const Gpu* gpu_by_name(std::string_view name) {
  const auto found = std::ranges::find_if(gpu_table(), [&](const Gpu& gpu) { return lower_case(gpu.name) == name; });
  return found == gpu_table().end() ? nullptr : &*found;
}

bool rates_are_known(const Instance& instance) {
  return links_are_known(instance) && (instance.network_bytes_per_s || instance.network_burst_bytes_per_s);
}

// The smallest machine that has them all, else the largest of which whole ones make up the number; of equal ones the
// first whose rates are known.
const Instance* machine_with(const Gpu& gpu, int count, std::span<const Instance> instances) {
  const Instance* best = nullptr;
  const auto is_better = [&](const Instance& a, const Instance& b) {
    const bool a_has_all = a.gpus >= count, b_has_all = b.gpus >= count;
    if (a_has_all != b_has_all) return a_has_all;
    if (a.gpus != b.gpus) return a_has_all ? a.gpus < b.gpus : a.gpus > b.gpus;
    return rates_are_known(a) && !rates_are_known(b);
  };
  for (const Instance& instance : instances) {
    if (known_gpu(instance) != &gpu || instance.gpus > kCommonGpus) continue;
    if (instance.gpus < count && count % instance.gpus != 0) continue;
    if (best == nullptr || is_better(instance, *best)) best = &instance;
  }
  return best;
}

[[noreturn]] void throw_unknown_device(std::string_view name, std::span<const Instance> instances) {
  std::vector<std::string> lower;
  std::vector<std::string_view> names;
  for (const PublishedDevice& device : published_devices()) names.push_back(device.name);
  for (const Gpu& gpu : gpu_table()) names.push_back(gpu.name);
  for (const Instance& instance : instances) names.push_back(instance.name);
  for (const std::string_view known : names) lower.push_back(lower_case(known));
  const std::vector<std::string_view> views(lower.begin(), lower.end());
  const std::string_view near = nearest(lower_case(name), views);
  const auto place = std::ranges::find(views, near) - views.begin();
  throw UsageError(fmt::format("--on: unknown device '{}'; {}", name,
                               near.empty()
                                   ? "'stash catalog list' shows machines; a GPU is named like V100, a TPU like TPUv3"
                                   : fmt::format("did you mean '{}'?", names[static_cast<std::size_t>(place)])));
}

PlannedDevices devices_of(const Asked& asked, int nodes, std::span<const Instance> instances) {
  const int count = asked.count.value_or(nodes);
  if (const Instance* machine = find_instance_or_null(instances, asked.name)) {
    if (machine->gpus == 0) throw UsageError(fmt::format("--on {}: it has no GPU", machine->name));
    return {.name = machine->name,
            .nodes = count,
            .per_node = machine->gpus,
            .named_by_machine = true,
            .machine = machine,
            .gpu = known_gpu(*machine)};
  }
  if (const PublishedDevice* published = find_published_device(asked.name)) {
    return {.name = std::string(published->name), .nodes = 1, .per_node = count, .published = published};
  }
  const Gpu* gpu = gpu_by_name(lower_case(asked.name));
  if (gpu == nullptr) throw_unknown_device(asked.name, instances);
  const Instance* machine = machine_with(*gpu, count, instances);
  if (machine == nullptr) {
    throw UsageError(
        fmt::format("--on {}: the catalogue has no machine with this GPU; 'stash catalog add' adds one", gpu->name));
  }
  const int per_node = std::min(count, machine->gpus);
  return {.name = gpu->name, .nodes = count / per_node, .per_node = per_node, .machine = machine, .gpu = gpu};
}

}  // namespace

std::string PlannedDevices::text() const { return fmt::format("{}x{}", named_by_machine ? nodes : count(), name); }

std::vector<PlannedDevices> parse_device_list(std::string_view text, std::optional<int> nodes,
                                              std::span<const Instance> instances) {
  const std::vector<std::string> words = split_by_plus(text);
  if (words.size() > kMostKinds) {
    throw UsageError(fmt::format("--on names {} kinds of devices; at most {}", words.size(), kMostKinds));
  }
  std::vector<PlannedDevices> devices;
  long long all = 0;
  for (const std::string& word : words) {
    const Asked asked = parse_one(word);
    if (asked.name.empty()) throw UsageError("--on takes devices like 64xTPUv2+64xTPUv3, or a machine's name");
    if (nodes && (asked.count || words.size() > 1)) {
      throw UsageError(fmt::format("--nodes and a number in --on contradict each other: write --on {}x{}{}", *nodes,
                                   asked.name, words.size() > 1 ? "+…" : ""));
    }
    const PlannedDevices& added = devices.emplace_back(devices_of(asked, nodes.value_or(1), instances));
    all += static_cast<long long>(added.nodes) * added.per_node;
    if (all > kMostPlannedDevices) {
      throw UsageError(fmt::format("--on {}: {} devices are too many; at most {}", text, all, kMostPlannedDevices));
    }
  }
  return devices;
}

std::string text_of(std::span<const PlannedDevices> devices) {
  std::string text;
  for (const PlannedDevices& kind : devices) text += (text.empty() ? "" : "+") + kind.text();
  return text;
}

}  // namespace stash
