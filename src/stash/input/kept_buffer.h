#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stash {

// One huge file must not make a worker keep its memory for ever.
inline constexpr std::size_t kMostKeptBytes = 16 << 20;

// Makes a buffer that is used again for every sample at least `bytes` long. What it held is lost.
inline void grow_kept(std::vector<std::uint8_t>& buffer, std::size_t bytes) {
  if (buffer.size() > kMostKeptBytes && bytes <= kMostKeptBytes) std::vector<std::uint8_t>().swap(buffer);
  if (buffer.size() < bytes) buffer.resize(bytes);
}

}  // namespace stash
