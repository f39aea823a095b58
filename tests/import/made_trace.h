#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "stash/import/byte_source.h"
#include "support/temporary_folder.h"

namespace stash::testing_support {

// Bytes from memory, a few at a time.
class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view text) : left_(text) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), left_.size());
    std::memcpy(into.data(), left_.data(), count);
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
};

// A trace with known answers: times in microseconds.
class MadeTrace {
 public:
  MadeTrace& event(std::string_view category, std::string_view name, int process, double start_us, double us) {
    events_ += fmt::format(
        "{}\n  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": 7,\n    \"ts\": {:.3f}, "
        "\"dur\": {:.3f},\n    \"args\": {{\"grid\": [1, 2], \"note\": \"}}]{{\\\"\", \"stream\": 7}}\n  }}",
        events_.empty() ? "" : ",", category, name, process, start_us, us);
    return *this;
  }
  MadeTrace& compute(double start_us, double us) { return event("kernel", "ampere_sgemm_128x64_nn", 0, start_us, us); }
  MadeTrace& collective(double start_us, double us) {
    return event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 0, start_us,
                 us);
  }
  MadeTrace& copy(double start_us, double us) {
    return event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, start_us, us);
  }
  MadeTrace& input(double start_us, double us) {
    return event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 99, start_us, us);
  }
  MadeTrace& op(double start_us, double us) { return event("cpu_op", "aten::conv2d", 99, start_us, us); }
  MadeTrace& step(int number, double start_us, double us) {
    return event("user_annotation", fmt::format("ProfilerStep#{}", number), 99, start_us, us);
  }

  std::string text(std::string_view head = "") const {
    return fmt::format("{{\n  \"schemaVersion\": 1,\n{}  \"traceEvents\": [{}\n  ],\n  \"traceName\": \"made\"\n}}\n",
                       head, events_);
  }
  std::string of_rank(int rank, int ranks) const {
    return text(fmt::format("  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": {}}},\n",
                            rank, ranks));
  }

 private:
  std::string events_;
};

// A file that is removed with its folder.
class TraceFile {
 public:
  explicit TraceFile(std::string_view content, const char* name = "trace.json") : path_(folder_.write(name, content)) {}

  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

inline std::string gzipped(std::string_view text) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace stash::testing_support
