#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace stash {

// A rate with its 95 % interval: the mean of several windows where it is measured here, the median of a Figure.
struct MeasuredRate {
  double per_s = 0;
  double low_per_s = 0;
  double high_per_s = 0;
};

// Samples that one core prepares: JPEG files of 500x375 pixels and 110 kB, in memory, to 224x224. In CPU time, so that
// a busy machine gives the same.
MeasuredRate measure_decode_rate();

// Bytes that are read of a file of `bytes` made in `folder`, whose pages were evicted; the file is gone afterwards.
// nullopt where pages cannot be evicted, as in a file system that is memory. Error: the file cannot be made.
std::optional<MeasuredRate> measure_storage_rate(const std::filesystem::path& folder, std::int64_t bytes);

}  // namespace stash
