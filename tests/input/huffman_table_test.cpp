#include "stash/input/jpeg/huffman_table.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

struct Source {
  std::array<std::uint8_t, 17> counts{};
  std::array<std::uint8_t, 256> symbols{};
};

std::uint64_t on_top(std::uint64_t bits, int count) { return bits << (64 - count); }

// Codes 0, 10, 110 and one of sixteen bits.
Source some_codes() {
  Source source;
  source.counts[1] = source.counts[2] = source.counts[3] = source.counts[16] = 1;
  source.symbols = {0x00, 0x23, 0xf0, 0x1a};
  return source;
}

TEST(HuffmanTable, FindsShortAndLongCodes) {
  const Source source = some_codes();
  HuffmanTable table;
  ASSERT_TRUE(table.build(HuffmanTable::Kind::ac, source.counts, source.symbols));
  EXPECT_EQ(table.look_up(0).run, HuffmanTable::kEndOfBlock);
  const HuffmanEntry entry = table.look_up(on_top(0b10, 2));
  EXPECT_EQ(entry.code_bits, 2);
  EXPECT_EQ(entry.run, 2);
  EXPECT_EQ(entry.value_bits, 3);
  EXPECT_EQ(entry.total_bits, 5);
  const HuffmanEntry zeros = table.look_up(on_top(0b110, 3));
  EXPECT_EQ(zeros.run, 15);
  EXPECT_EQ(zeros.value_bits, 0);
  const HuffmanEntry longest = table.look_up(on_top(0b1110000000000000, 16));
  EXPECT_EQ(longest.code_bits, 16);
  EXPECT_EQ(longest.run, 1);
  EXPECT_EQ(longest.value_bits, 10);
}

TEST(HuffmanTable, KnowsThatACodeIsNotThere) {
  const Source source = some_codes();
  HuffmanTable table;
  ASSERT_TRUE(table.build(HuffmanTable::Kind::ac, source.counts, source.symbols));
  EXPECT_EQ(table.look_up(~std::uint64_t{0}).code_bits, 0);
}

TEST(HuffmanTable, RefusesWhatIsNoTable) {
  HuffmanTable table;
  Source too_many_of_a_length;
  too_many_of_a_length.counts[1] = 3;
  EXPECT_FALSE(table.build(HuffmanTable::Kind::ac, too_many_of_a_length.counts, too_many_of_a_length.symbols));
  Source too_many_in_all;
  too_many_in_all.counts[15] = too_many_in_all.counts[16] = 255;
  EXPECT_FALSE(table.build(HuffmanTable::Kind::ac, too_many_in_all.counts, too_many_in_all.symbols));
  EXPECT_FALSE(table.build(HuffmanTable::Kind::ac, Source().counts, Source().symbols));
  Source large_difference;
  large_difference.counts[1] = 1;
  large_difference.symbols[0] = 16;
  EXPECT_FALSE(table.build(HuffmanTable::Kind::dc, large_difference.counts, large_difference.symbols));
}

}  // namespace
}  // namespace stash
