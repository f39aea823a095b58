#include "stash/view/response.h"

#include <gtest/gtest.h>

#include "../core/contains.h"

namespace stash {

TEST(Response, SaysItsLengthAndForbidsWhatIsFromElsewhere) {
  const std::string bytes = wire_bytes(text_response(404, "no such page"), false);
  EXPECT_TRUE(bytes.starts_with("HTTP/1.1 404 Not Found\r\n")) << bytes;
  EXPECT_CONTAINS(bytes, "Content-Length: 13\r\n");
  EXPECT_CONTAINS(bytes, "Content-Security-Policy: default-src 'none'");
  EXPECT_CONTAINS(bytes, "X-Content-Type-Options: nosniff\r\n");
  EXPECT_TRUE(bytes.ends_with("\r\n\r\nno such page\n")) << bytes;
}

TEST(Response, TheHeadAloneIsTheSameHead) {
  const Response response = text_response(200, "x");
  const std::string head = wire_bytes(response, true);
  EXPECT_EQ(wire_bytes(response, false), head + "x\n");
}

TEST(Response, AStreamHasNoLength) {
  const std::string bytes = wire_bytes({.body = ": open\n\n", .is_stream = true}, false);
  EXPECT_EQ(bytes.find("Content-Length"), std::string::npos);
}

}  // namespace stash
