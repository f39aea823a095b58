#include "stash/catalog/gpu_model.h"

#include <algorithm>
#include <vector>

#include "stash/core/words.h"

namespace stash {
namespace {

using Words = std::vector<std::string>;

bool is_part_of_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

Words words_of(std::string_view name) {
  Words words;
  bool inside = false;
  for (const char c : lower_case(name)) {
    if (is_part_of_word(c)) {
      if (!inside) words.emplace_back();
      words.back() += c;
    }
    inside = is_part_of_word(c);
  }
  return words;
}

bool has(const Words& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

// The card for a PCIe slot is a slower chip than the one of the same name on a board.
bool matches(const Words& model, const Words& gpu) {
  if (has(model, "pcie") != has(gpu, "pcie")) return false;
  return std::ranges::all_of(gpu, [&](const std::string& word) { return has(model, word); });
}

// Vendors' names that say neither "80GB" nor "32GB", and those of SkyPilot.
void add_memory(Words& model, std::int64_t memory_bytes) {
  const std::int64_t gib = (memory_bytes + (std::int64_t{1} << 29)) >> 30;
  if (has(model, "v100") && gib == 32) model.emplace_back("32gb");
  if (has(model, "a100") && gib == 80) model.emplace_back("80gb");
}

}  // namespace

std::string catalogued_gpu_name(std::string_view model, std::int64_t memory_bytes) {
  Words words = words_of(model);
  add_memory(words, memory_bytes);
  const Gpu* best = nullptr;
  std::size_t best_words = 0;
  for (const Gpu& gpu : gpu_table()) {
    const Words own = words_of(gpu.name);
    if (own.size() > best_words && matches(words, own)) {
      best = &gpu;
      best_words = own.size();
    }
  }
  return best ? best->name : std::string(model);
}

const Gpu* gpu_of(const JobDevice& device, std::span<const GpuInfo> gpus) {
  if (device.is_emulated()) return &find_gpu(device.gpu());
  if (!device.is_cuda() || gpus.empty()) return nullptr;
  const std::string name = catalogued_gpu_name(gpus.front().name, gpus.front().memory_bytes.value_or(0));
  const std::span<const Gpu> table = gpu_table();
  const auto found = std::ranges::find(table, name, &Gpu::name);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace stash
