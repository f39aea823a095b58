#include "stash/input/batch_buffers.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {

namespace {

constexpr std::size_t kAlignment = 64;

// Not with C++ streams: inside an interpreter their facets may be another library's than their locale's.
std::optional<double> available_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/meminfo", "r"), std::fclose);
  std::array<char, 256> line;
  long long kib = 0;
  while (file && std::fgets(line.data(), line.size(), file.get()) != nullptr) {
    if (std::sscanf(line.data(), "MemAvailable: %lld", &kib) == 1) return static_cast<double>(kib) * 1024;
  }
  return std::nullopt;
}

[[noreturn]] void fail(double wanted_bytes, std::optional<double> there_bytes) {
  throw Error(fmt::format("the batches need {} of memory{}; use a smaller --batch or --prefetch",
                          format_bytes(wanted_bytes),
                          there_bytes ? fmt::format(", {} are available", format_bytes(*there_bytes)) : ""));
}

std::shared_ptr<void> allocate_plainly(std::size_t bytes) { return {std::aligned_alloc(kAlignment, bytes), std::free}; }

}  // namespace

BatchBuffers::BatchBuffers(int slots, int batch, std::size_t sample_bytes, const Allocate& allocate)
    : sample_bytes_(sample_bytes) {
  const auto count = static_cast<std::size_t>(batch);
  const double wanted = static_cast<double>(slots) * static_cast<double>(count) *
                        static_cast<double>(sample_bytes + sizeof(std::int64_t));
  // Memory that is promised but not there ends the process when it is touched, so it is asked beforehand.
  const std::optional<double> there = available_bytes();
  if (there && wanted > *there) fail(wanted, there);
  labels_at_ = (count * sample_bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t labels_bytes = (count * sizeof(std::int64_t) + kAlignment - 1) / kAlignment * kAlignment;
  for (int slot = 0; slot < slots; ++slot) {
    std::shared_ptr<void> block = (allocate ? allocate : allocate_plainly)(labels_at_ + labels_bytes);
    if (!block) fail(wanted, there);
    std::memset(static_cast<char*>(block.get()) + labels_at_, 0, labels_bytes);
    blocks_.push_back(std::move(block));
  }
}

void* BatchBuffers::sample(int slot, int place) const {
  return static_cast<char*>(blocks_[static_cast<std::size_t>(slot)].get()) +
         static_cast<std::size_t>(place) * sample_bytes_;
}

std::int64_t* BatchBuffers::labels(int slot) const {
  return reinterpret_cast<std::int64_t*>(static_cast<char*>(blocks_[static_cast<std::size_t>(slot)].get()) +
                                         labels_at_);
}

}  // namespace stash
