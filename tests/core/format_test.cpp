#include "stash/core/format.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

TEST(Format, EveryNameIsReadBack) {
  for (const Format format : kReportFormats) EXPECT_EQ(parse_format(to_string(format), kReportFormats), format);
}

TEST(Format, OnlyThoseOfTheCommandAreTaken) {
  EXPECT_THROW(parse_format("html", kListFormats), UsageError);
  EXPECT_NE(message_of<UsageError>([] { parse_format("jsn", kListFormats); }).find("json"), std::string::npos);
}

}  // namespace
}  // namespace stash
