#include "stash/fleet/policy/make_fleet_policy.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

TEST(MakeFleetPolicy, AnUnknownNameIsRefusedWithTheNearest) {
  const std::string said = message_of<UsageError>([] { make_fleet_policy("reactiv", {}, {}); });
  EXPECT_NE(said.find("'reactive'"), std::string::npos) << said;
}

}  // namespace
}  // namespace stash
