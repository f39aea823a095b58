#include "stash/core/words.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

using Words = std::vector<std::string>;

TEST(Words, NamesAreSpokenWithTheirArticle) {
  EXPECT_EQ(with_article("p3.16xlarge"), "a p3.16xlarge");
  EXPECT_EQ(with_article("8x-4090"), "an 8x-4090");
  EXPECT_EQ(with_article("a2-highgpu-8g"), "an a2-highgpu-8g");
}

TEST(Words, AListIsSplitAtItsCommas) {
  EXPECT_EQ(split_list("a,b c,d"), (Words{"a", "b c", "d"}));
  EXPECT_EQ(split_list("a"), Words{"a"});
  EXPECT_EQ(split_list(""), Words{});
}

TEST(Words, EmptyWordsAreLeftOutUnlessTheyAreAFault) {
  EXPECT_EQ(split_list(",a,,b,"), (Words{"a", "b"}));
  EXPECT_EQ(split_list_strictly(",a,,b,"), (Words{"", "a", "", "b", ""}));
  EXPECT_EQ(split_list_strictly(""), Words{});
}

TEST(Words, OnlyAsciiLettersChangeTheirCase) {
  EXPECT_EQ(lower_case("V100-SXM2 \xc3\x84"), "v100-sxm2 \xc3\x84");
  EXPECT_EQ(upper_case("a100 \xc3\xa4z"), "A100 \xc3\xa4Z");
}

}  // namespace
}  // namespace stash
