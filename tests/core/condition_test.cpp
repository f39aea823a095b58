#include "stash/core/condition.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "support/message_of.h"

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
  EXPECT_EQ(message_of<UsageError>([] { parse_condition("joind"); }),
            "unknown condition 'joind'; did you mean 'joined'?");
}

}  // namespace stash
