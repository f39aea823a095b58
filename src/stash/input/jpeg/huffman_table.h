#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace stash {

// What the next bits of a scan mean: a code, and how many bits of a value follow it.
struct HuffmanEntry {
  std::uint8_t code_bits = 0;  // 0: no such code, or one that is longer than the table looks
  std::uint8_t run = 0;        // coefficients that are zero before the value; kEndOfBlock
  std::uint8_t value_bits = 0;
  std::uint8_t total_bits = 0;
};

// A Huffman table of a baseline JPEG file, ready to be looked up.
class HuffmanTable {
 public:
  static constexpr int kLookBits = 11;  // longer codes are rare; 8 kB a table stay in the nearest cache
  static constexpr std::uint8_t kEndOfBlock = 64;

  enum class Kind { dc, ac };

  // `counts[n]` codes of n bits (1 to 16), then the symbols in their order. False when they are no valid table.
  bool build(Kind kind, std::span<const std::uint8_t, 17> counts, std::span<const std::uint8_t, 256> symbols);

  // `bits` holds the scan's next 64 bits, the first one on top.
  HuffmanEntry look_up(std::uint64_t bits) const {
    const HuffmanEntry entry = short_[bits >> (64 - kLookBits)];
    return entry.code_bits != 0 ? entry : look_up_long(bits);
  }

 private:
  HuffmanEntry look_up_long(std::uint64_t bits) const;

  std::array<HuffmanEntry, 1 << kLookBits> short_{};
  std::array<HuffmanEntry, 256> by_symbol_{};  // in the order of the codes
  std::array<std::int32_t, 17> first_code_{};  // of each length
  std::array<std::int32_t, 17> count_{};
  std::array<std::int32_t, 17> first_symbol_{};
};

}  // namespace stash
