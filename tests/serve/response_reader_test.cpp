#include "stash/serve/load/response_reader.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace stash {
namespace {

using Outcome = ResponseReader::Outcome;

constexpr std::string_view kPlain = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view kChunked =
    "HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2;x=1\r\nde\r\n0\r\n\r\n";

TEST(ResponseReader, ReadsAnswersOneAfterTheOther) {
  ResponseReader reader(100, true);
  const std::string both = std::string(kPlain) + std::string(kChunked);
  std::string_view bytes = both;
  ASSERT_EQ(reader.take(bytes), Outcome::answer);
  EXPECT_EQ(reader.status(), 200);
  EXPECT_EQ(reader.body(), "hello");
  EXPECT_TRUE(reader.stays_open());
  reader.next();
  ASSERT_EQ(reader.take(bytes), Outcome::answer);
  EXPECT_EQ(reader.status(), 503);
  EXPECT_EQ(reader.body(), "abcde");
  EXPECT_FALSE(reader.stays_open());
  EXPECT_TRUE(bytes.empty());
}

TEST(ResponseReader, PiecesOfAnySizeGiveTheSame) {
  for (const std::string_view whole : {kPlain, kChunked}) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      ResponseReader reader(100, true);
      Outcome outcome = Outcome::more;
      for (std::size_t at = 0; at < whole.size(); at += size) {
        ASSERT_EQ(outcome, Outcome::more) << size;
        std::string_view piece = whole.substr(at, size);
        outcome = reader.take(piece);
      }
      EXPECT_EQ(outcome, Outcome::answer) << size;
      EXPECT_EQ(reader.body(), whole == kPlain ? "hello" : "abcde") << size;
    }
  }
}

TEST(ResponseReader, AnAnswerWithoutALengthEndsWithTheConnection) {
  ResponseReader reader(100, true);
  std::string_view bytes = "HTTP/1.1 200 OK\r\n\r\nall of it";
  EXPECT_EQ(reader.take(bytes), Outcome::more);
  EXPECT_EQ(reader.end(), Outcome::answer);
  EXPECT_EQ(reader.body(), "all of it");
}

TEST(ResponseReader, ACutAnswerIsAFault) {
  ResponseReader reader(100);
  std::string_view bytes = kPlain.substr(0, kPlain.size() - 1);
  EXPECT_EQ(reader.take(bytes), Outcome::more);
  EXPECT_EQ(reader.end(), Outcome::fault);
  EXPECT_EQ(ResponseReader(100).end(), Outcome::fault);
}

TEST(ResponseReader, WhatIsTooLargeOrNoHttpIsAFault) {
  for (const std::string& text :
       {std::string("SSH-2.0-OpenSSH_9.2\r\n\r\n"), std::string("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nX: ") + std::string(20'000, 'x')}) {
    ResponseReader reader(100);
    std::string_view bytes = text;
    EXPECT_EQ(reader.take(bytes), Outcome::fault) << text.substr(0, 30);
    EXPECT_NE(reader.fault(), "");
  }
}

TEST(ResponseReader, DamagedBytesDoNoHarm) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string text((i & 1) != 0 ? kPlain : kChunked);
    for (int j = 0; j < 3; ++j) text[random() % text.size()] = static_cast<char>(random());
    ResponseReader reader(64, true);
    std::string_view bytes = text;
    while (!bytes.empty() && reader.take(bytes) == Outcome::answer) reader.next();
    EXPECT_LE(reader.body().size(), 64U);
  }
}

}  // namespace
}  // namespace stash
