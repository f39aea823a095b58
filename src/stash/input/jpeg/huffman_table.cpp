#include "stash/input/jpeg/huffman_table.h"

#include <algorithm>

namespace stash {

namespace {

constexpr int kLongestCode = 16;
constexpr int kMostDcBits = 11;  // of baseline files; more would be another kind of file

HuffmanEntry entry_for(HuffmanTable::Kind kind, std::uint8_t symbol, int code_bits) {
  HuffmanEntry entry;
  entry.code_bits = static_cast<std::uint8_t>(code_bits);
  entry.value_bits = kind == HuffmanTable::Kind::dc ? symbol : symbol & 15;
  entry.total_bits = static_cast<std::uint8_t>(code_bits + entry.value_bits);
  if (kind == HuffmanTable::Kind::ac) {
    entry.run = static_cast<std::uint8_t>(symbol >> 4);
    if (entry.value_bits == 0 && entry.run != 15) entry.run = HuffmanTable::kEndOfBlock;
  }
  return entry;
}

}  // namespace

bool HuffmanTable::build(Kind kind, std::span<const std::uint8_t, 17> counts,
                         std::span<const std::uint8_t, 256> symbols) {
  short_.fill({});
  int code = 0;
  int symbol = 0;
  for (int bits = 1; bits <= kLongestCode; ++bits, code *= 2) {
    const auto length = static_cast<std::size_t>(bits);
    const int count = counts[length];
    if (symbol + count > 256 || code + count > (1 << bits)) return false;
    first_code_[length] = code;
    first_symbol_[length] = symbol;
    count_[length] = count;
    for (int i = 0; i < count; ++i, ++code, ++symbol) {
      const std::uint8_t value = symbols[static_cast<std::size_t>(symbol)];
      if (kind == Kind::dc && value > kMostDcBits) return false;
      const HuffmanEntry entry = entry_for(kind, value, bits);
      by_symbol_[static_cast<std::size_t>(symbol)] = entry;
      if (bits > kLookBits) continue;
      const int spare = kLookBits - bits;
      std::fill_n(short_.begin() + (code << spare), 1 << spare, entry);
    }
  }
  return symbol > 0;
}

HuffmanEntry HuffmanTable::look_up_long(std::uint64_t bits) const {
  for (int length = kLookBits + 1; length <= kLongestCode; ++length) {
    const auto i = static_cast<std::size_t>(length);
    const auto place = static_cast<std::int32_t>(bits >> (64 - length)) - first_code_[i];
    if (place >= 0 && place < count_[i]) return by_symbol_[static_cast<std::size_t>(first_symbol_[i] + place)];
  }
  return {};
}

}  // namespace stash
