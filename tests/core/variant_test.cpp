#include "stash/core/variant.h"

#include <gtest/gtest.h>

#include "stash/core/profile.h"

namespace stash {
namespace {

TEST(Variant, OfAGroupIsReadAsItWasWritten) {
  for (const GroupChange change : {GroupChange::off, GroupChange::within_node}) {
    const auto read = changed_group(group_variant(change, "tp: rows"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->change, change);
    EXPECT_EQ(read->group, "tp: rows");
  }
  EXPECT_FALSE(changed_group("half the gradient bytes"));
  EXPECT_FALSE(changed_group(""));
}

TEST(Variant, ItsWindowsAreNotThoseOfTheCondition) {
  Profile profile;
  Window window;
  add_window(profile, window);
  window.variant = "off:tp";
  add_window(profile, window);
  ASSERT_EQ(profile.windows.size(), 1U);
  ASSERT_EQ(profile.variant_windows.size(), 1U);
  EXPECT_EQ(profile.variant_windows[0].variant, "off:tp");
}

}  // namespace
}  // namespace stash
