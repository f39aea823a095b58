#include "stash/core/condition.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"

namespace stash {

TEST(Condition, NamesParseBack) {
  for (const Condition condition : kConditions) EXPECT_EQ(parse_condition(to_string(condition)), condition);
}

TEST(Condition, EachAddsThePartOfItsPlace) {
  EXPECT_EQ(part_added_by(Condition::solo), Part::compute);
  EXPECT_EQ(part_added_by(Condition::node), Part::interconnect);
  EXPECT_EQ(part_added_by(Condition::cold), Part::fetch);
  EXPECT_EQ(to_string(part_added_by(Condition::hot)), "prep");
}

TEST(Condition, MisspeltNameGetsTheNearest) {
  try {
    parse_condition("joind");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown condition 'joind'; did you mean 'joined'?");
  }
}

}  // namespace stash
