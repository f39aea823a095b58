#include "stash/cli/flags/usd_flag.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "stash/core/error.h"

namespace stash {
namespace {

std::optional<double> usd_of(UsdFlag flag, const std::string& line) {
  CLI::App app;
  flag.add_to(app, "Price");
  app.parse(line);
  return flag.get();
}

TEST(UsdFlag, TakesTheSpellingsOfDollars) {
  for (const char* text : {"3", "$3", "3usd", "3.0USD"}) {
    EXPECT_EQ(usd_of(UsdFlag(), std::string("--usd-per-hour ") + text), 3) << text;
  }
  EXPECT_EQ(usd_of(UsdFlag(), ""), std::nullopt);
}

TEST(UsdFlag, IsAbove0UnlessNothingMayBePaid) {
  for (const char* text : {"0", "-1", "nan", "inf", "abc", "3eur"}) {
    EXPECT_THROW(usd_of(UsdFlag(), std::string("--usd-per-hour=") + text), UsageError) << text;
  }
  const UsdFlag storage("--storage-usd-per-hour", UsdFlag::Least::from_0);
  EXPECT_EQ(usd_of(storage, "--storage-usd-per-hour 0"), 0);
  EXPECT_THROW(usd_of(storage, "--storage-usd-per-hour=-1"), UsageError);
}

}  // namespace
}  // namespace stash
