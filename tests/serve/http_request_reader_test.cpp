#include "stash/serve/protocol/http_request_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace stash {
namespace {

using ReadOutcome = HttpRequestReader::Outcome;

constexpr std::size_t kMostBody = 1000;

const std::string kGet = "GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kPost =
    "POST /v2/models/m/infer HTTP/1.1\r\nHost: a\r\nInference-Header-Content-Length: 4\r\nContent-Length: "
    "10\r\n\r\n{\"\"}abcdef";
const std::string kChunked =
    "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\nyou\r\n0\r\n\r\n";

struct ReadRequest {
  std::string method, target, body;
  bool operator==(const ReadRequest&) const = default;
};

// All requests of a connection that brings `bytes` in pieces of `piece`, half of them through room().
std::vector<ReadRequest> read_all(const std::string& bytes, std::size_t piece, int& fault) {
  HttpRequestReader reader(kMostBody);
  std::vector<ReadRequest> found;
  fault = 0;
  const auto note = [&](ReadOutcome outcome) {
    if (outcome == ReadOutcome::fault) fault = reader.fault_status();
    if (outcome != ReadOutcome::request) return;
    found.push_back({reader.head().method, reader.head().target, std::string(reader.body())});
    reader.next();
  };
  for (std::size_t at = 0; at < bytes.size() && fault == 0;) {
    std::string_view part = std::string_view(bytes).substr(at, piece);
    if (const std::span<char> room = reader.room(); !room.empty()) {
      const std::size_t count = std::min(room.size(), part.size());
      std::memcpy(room.data(), part.data(), count);
      at += count;
      note(reader.filled(count));
      continue;
    }
    at += part.size();
    while (!part.empty() && fault == 0) note(reader.take(part));
  }
  return found;
}

int http_fault_of(const std::string& bytes, std::size_t piece = 1'000'000) {
  int fault = 0;
  read_all(bytes, piece, fault);
  return fault;
}

TEST(HttpRequestReader, RequestsAreReadInPiecesOfAnySize) {
  const std::vector<ReadRequest> expected{{"GET", "/v2/health/live", ""},
                                          {"POST", "/v2/models/m/infer", "{\"\"}abcdef"},
                                          {"POST", "/x", "helloyou"},
                                          {"GET", "/v2/health/live", ""}};
  for (const std::size_t piece : {1, 2, 3, 7, 50, 64, 1000}) {
    int fault = 0;
    EXPECT_EQ(read_all(kGet + kPost + kChunked + kGet, piece, fault), expected) << piece;
    EXPECT_EQ(fault, 0) << piece;
  }
}

TEST(HttpRequestReader, TheLengthOfTheJsonIsKept) {
  HttpRequestReader reader(kMostBody);
  std::string_view bytes = kPost;
  EXPECT_EQ(reader.take(bytes), ReadOutcome::request);
  EXPECT_EQ(reader.head().json_bytes, "4");
  EXPECT_TRUE(reader.stays_open());
}

TEST(HttpRequestReader, WhatIsTooLargeIsRefused) {
  EXPECT_EQ(http_fault_of("POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n"), 413);
  EXPECT_EQ(http_fault_of("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"), 400);
  EXPECT_EQ(http_fault_of("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'x')),
            413);
  EXPECT_EQ(http_fault_of("GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\n\r\n"), 431);
  EXPECT_EQ(http_fault_of("GET /" + std::string(20'000, 'x'), 10), 431);
  EXPECT_EQ(http_fault_of("GET / HTTP/1.1\r\nA: " + std::string(20'000, 'x') + "\r\n\r\n", 10), 431);
}

TEST(HttpRequestReader, WhatIsNoRequestIsRefused) {
  EXPECT_EQ(http_fault_of("hello\r\n\r\n"), 400);
  EXPECT_EQ(http_fault_of("GET / HTTP/3.1\r\n\r\n"), 505);
  EXPECT_EQ(http_fault_of("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(http_fault_of("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), 400);
  EXPECT_EQ(http_fault_of("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na"), 400);
}

TEST(HttpRequestReader, AnyBytesEndInRequestsOrAFault) {
  std::mt19937 random(7);
  const std::vector<std::string> seeds{kGet, kPost, kChunked, kPost + kChunked};
  int faults = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = seeds[random() % seeds.size()];
    for (unsigned n = random() % 6; n > 0; --n) {
      const std::size_t place = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[place] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(place, 1 + random() % 8);
          break;
        case 2:
          bytes.insert(place, bytes.substr(random() % bytes.size(), random() % 40));
          break;
        default:
          bytes.insert(place, 1, "\r\n:0 9"[random() % 6]);
      }
      if (bytes.empty()) bytes = "G";
    }
    int fault = 0;
    for (const ReadRequest& one : read_all(bytes, 1 + random() % 200, fault)) EXPECT_LE(one.body.size(), kMostBody);
    if (fault != 0) ++faults;
  }
  EXPECT_GT(faults, 1000);
}

}  // namespace
}  // namespace stash
