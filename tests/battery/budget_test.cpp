#include "stash/battery/budget.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

struct BudgetTest : testing::Test {
  Budget make(const Caps& caps, double spent_before_s = 0) {
    return Budget(caps, spent_before_s, [this] { return now_s; });
  }
  double now_s = 100;
};

TEST_F(BudgetTest, WithoutACapThereIsNoEnd) {
  EXPECT_FALSE(make({}).left_s());
  EXPECT_EQ(make({}).cap(), "");
}

TEST_F(BudgetTest, TimeIsOfThisCall) {
  const Budget budget = make({.max_time_s = 60, .max_usd = {}, .usd_per_h = {}}, 1000);
  now_s = 145;
  EXPECT_DOUBLE_EQ(*budget.left_s(), 15);
  now_s = 500;
  EXPECT_DOUBLE_EQ(*budget.left_s(), 0);
}

TEST_F(BudgetTest, MoneyIsOfAllCalls) {
  const Budget budget = make({.max_time_s = 3600, .max_usd = 1, .usd_per_h = 6}, 540);  // 600 s in all
  EXPECT_EQ(budget.cap(), "--max-cost");
  EXPECT_DOUBLE_EQ(*budget.left_s(), 60);
}

TEST_F(BudgetTest, TheSmallerCapHolds) {
  EXPECT_EQ(make({.max_time_s = 60, .max_usd = 1, .usd_per_h = 6}).cap(), "--max-time");
}

TEST_F(BudgetTest, MoneyThatIsSpentLeavesNothing) {
  EXPECT_DOUBLE_EQ(*make({.max_time_s = {}, .max_usd = 1, .usd_per_h = 6}, 700).left_s(), 0);
}

}  // namespace
}  // namespace stash
