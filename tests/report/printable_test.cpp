#include "stash/report/printable.h"

#include <gtest/gtest.h>

namespace stash {

TEST(Printable, KeepsOrdinaryText) {
  EXPECT_EQ(printable("r\u00e9seau \u6df1\u5ea6 \U0001F600 ±"), "r\u00e9seau \u6df1\u5ea6 \U0001F600 ±");
}

TEST(Printable, ControlCharactersBecomeQuestionMarks) {
  EXPECT_EQ(printable(std::string_view("a\x1b[31m\n\t\0\x7f", 10)), "a?[31m????");
  EXPECT_EQ(printable("\xc2\x9b"), "?");
  EXPECT_EQ(printable("a\u202eb\u200bc\u2028d\ufeff"), "a?b?c?d?");
}

TEST(Printable, BytesThatAreNotUtf8BecomeQuestionMarks) {
  EXPECT_EQ(printable("\xff\xfe"), "??");
  EXPECT_EQ(printable("\xc0\x9b"), "??");
  EXPECT_EQ(printable("\xe0\x80\x9b"), "???");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "????");
  EXPECT_EQ(printable("a\xe6\xb7"), "a??");
}

TEST(Printable, IsCutAtTheLimit) { EXPECT_EQ(printable("\u6df1\u6df1\u6df1", true, 2), "\u6df1\u6df1..."); }

TEST(Printable, AsciiOnlyOnRequest) {
  EXPECT_EQ(printable("caf\u00e9", false), "caf?");
  EXPECT_EQ(to_ascii("±2 µs – 3 R²"), "+-2 us - 3 R^2");
}

}  // namespace stash
