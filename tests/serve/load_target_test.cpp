#include "stash/serve/load/load_target.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"

namespace stash {
namespace {

TEST(LoadTarget, AModelOfAServer) {
  const LoadTarget target = parse_load_target("localhost:8000/resnet50");
  EXPECT_EQ(target.host, "localhost");
  EXPECT_EQ(target.port, "8000");
  EXPECT_EQ(target.model, "resnet50");
  EXPECT_EQ(target.path, "/v2/models/resnet50/infer");
}

TEST(LoadTarget, AnAddress) {
  const LoadTarget target = parse_load_target("http://[::1]:8101/a/b?c=1");
  EXPECT_EQ(target.authority(), "[::1]:8101");
  EXPECT_EQ(target.model, "");
  EXPECT_EQ(target.path, "/a/b?c=1");
  EXPECT_EQ(parse_load_target("http://host").port, "80");
  EXPECT_EQ(parse_load_target("http://host").path, "/");
}

TEST(LoadTarget, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "resnet50", "localhost:8000", "localhost:8000/", "localhost:0/m", "localhost:99999/m", "localhost:80x/m",
        ":80/m", "https://host/x", "host:80/a b", "http://", "host:80/m\r\nX: y"}) {
    EXPECT_THROW(parse_load_target(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace stash
