#include "stash/view/request.h"

#include <gtest/gtest.h>

#include <random>

namespace stash {

namespace {

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n"; }

int status_of(const std::string& head) { return parse_request(head).status; }

}  // namespace

TEST(Request, PathAndQueryAreDecoded) {
  const ParsedRequest parsed = parse_request(get("/profile?file=a%20b%2f..%2Fc+d&x=&y"));
  ASSERT_TRUE(parsed.request);
  EXPECT_EQ(parsed.request->path, "/profile");
  EXPECT_EQ(parsed.request->value("file"), "a b/../c d");
  EXPECT_EQ(parsed.request->value("x"), "");
  EXPECT_EQ(parsed.request->value("absent"), "");
  EXPECT_EQ(parsed.request->host, "127.0.0.1:80");
  EXPECT_FALSE(parsed.request->head);
}

TEST(Request, HeadAsksForTheHeadOnly) {
  EXPECT_TRUE(parse_request("HEAD / HTTP/1.0\r\nhOST:\t localhost:1 \r\n\r\n").request->head);
}

TEST(Request, OnlyGetAndHeadWithoutABody) {
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"}) {
    EXPECT_EQ(status_of(method + " / HTTP/1.1\r\nHost: a\r\n\r\n"), 405) << method;
  }
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(Request, WhatIsMalformedIsRefused) {
  using namespace std::string_literals;
  for (const std::string& head :
       {"\r\n\r\n"s, "GET\r\n\r\n"s, "GET /\r\n\r\n"s, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"s,
        "GET http://x/ HTTP/1.1\r\nHost: a\r\n\r\n"s, "GET / HTTP/1.1\r\n\r\n"s, "GET / HTTP/1.1\r\nHost:\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"s, "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n"s, "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"s,
        "GET /%0 HTTP/1.1\r\nHost: a\r\n\r\n"s, "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n"s,
        "GET /?a=%00 HTTP/1.1\r\nHost: a\r\n\r\n"s, "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s,
        "GET / HTCPCP/1\r\n\r\n"s}) {
    EXPECT_EQ(status_of(head), 400) << head;
  }
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status_of(get("/" + std::string(5000, 'a'))), 414);
}

TEST(Request, EncodingComesBack) {
  std::string every;
  for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
  EXPECT_EQ(decode_percent(encode_percent(every)), every);
}

TEST(RequestFuzz, EveryInputIsARequestOrAStatus) {
  std::mt19937 random(7);
  const std::string seed = get("/compare?before=a%20b.json&after=c.json") + "GET /%41%zz?=&&= HTTP/1.1\r\n\r\n:";
  int parsed = 0;
  for (int run = 0; run < 20'000; ++run) {
    std::string bytes = get("/compare?before=a%20b.json&after=c.json");
    const int edits = static_cast<int>(random() % 6);
    for (int edit = 0; edit < edits; ++edit) {
      const std::size_t place = random() % bytes.size();
      const std::size_t kind = random() % 4;
      if (kind == 0) bytes[place] = static_cast<char>(random());
      if (kind == 1 && bytes.size() > 1) bytes.erase(place, random() % 8);
      if (kind == 2) bytes.insert(place, seed.substr(random() % seed.size(), random() % 16));
      if (kind == 3) bytes[place] = seed[random() % seed.size()];
      if (bytes.empty()) bytes.assign(1, 'G');
    }
    const std::size_t end = request_end(bytes).value_or(bytes.size());
    const ParsedRequest result = parse_request(std::string_view(bytes).substr(0, end));
    EXPECT_NE(result.request.has_value(), result.status != 0);
    if (!result.request) continue;
    ++parsed;
    EXPECT_EQ(result.request->path.find('\0'), std::string::npos);
    EXPECT_EQ(result.request->path.front(), '/');
    EXPECT_FALSE(result.request->host.empty());
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace stash
