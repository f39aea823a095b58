#include "stash/catalog/csv.h"

#include <gtest/gtest.h>

#include "support/message_of.h"

namespace stash {
namespace {

using Fields = std::vector<std::string>;

std::string csv_fault(std::string_view text) {
  return message_of([&] { parse_csv(text, "x.csv"); });
}

TEST(Csv, RowsHaveTheHeadersFields) {
  const CsvTable table = parse_csv("a,b,c\n1,,3\r\n,,\n", "x.csv");
  EXPECT_EQ(table.header, (Fields{"a", "b", "c"}));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].fields, (Fields{"1", "", "3"}));
  EXPECT_EQ(table.rows[1].fields, (Fields{"", "", ""}));
  EXPECT_EQ(table.rows[1].line, 3u);
}

TEST(Csv, TheLastLineNeedsNoNewline) { EXPECT_EQ(parse_csv("a,b\n1,2", "x.csv").rows.size(), 1u); }

TEST(Csv, QuotesHoldCommasAndQuotes) {
  const CsvTable table = parse_csv("a,b\n\"x, y\",\"say \"\"hi\"\"\"\n\"\",z\n", "x.csv");
  EXPECT_EQ(table.rows[0].fields, (Fields{"x, y", "say \"hi\""}));
  EXPECT_EQ(table.rows[1].fields, (Fields{"", "z"}));
}

TEST(Csv, ARowOfAnotherWidthNamesItsLine) {
  EXPECT_EQ(csv_fault("a,b\n1,2\n1,2,3\n"), "x.csv line 3: 3 fields where the header has 2");
  EXPECT_EQ(csv_fault("a,b\n\n"), "x.csv line 2: 1 fields where the header has 2");
}

TEST(Csv, QuotesOutOfPlaceAreRefused) {
  EXPECT_NE(csv_fault("a\nx\"y\n").find("line 2: a quote inside"), std::string::npos);
  EXPECT_NE(csv_fault("a\n\"x\n").find("never closed"), std::string::npos);
  EXPECT_NE(csv_fault("a\n\"x\"y\n").find("'y' follows"), std::string::npos);
}

TEST(Csv, NothingIsNotATable) { EXPECT_NE(csv_fault("").find("empty"), std::string::npos); }

}  // namespace
}  // namespace stash
