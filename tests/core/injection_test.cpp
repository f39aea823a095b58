#include "stash/core/injection.h"

#include <gtest/gtest.h>

#include "contains.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {

namespace {

std::string injection_fault(std::string_view text) {
  return message_of<UsageError>([&] { parse_injection(text); });
}

}  // namespace

TEST(Injection, ParsesEveryKind) {
  const Injection injection = parse_injection("read=20MB/s,prep=5ms/sample,rank1=+30ms,link=1Gbit/s");
  EXPECT_EQ(injection.read_bytes_per_s, 20e6);
  EXPECT_EQ(injection.prep_s_per_sample, 0.005);
  EXPECT_EQ(injection.rank_delay_s, (std::map<int, double>{{1, 0.03}}));
  EXPECT_EQ(injection.link_bytes_per_s, 125e6);
  EXPECT_FALSE(injection.empty());
}

TEST(Injection, NothingIsEmpty) { EXPECT_TRUE(parse_injection("").empty()); }

TEST(Injection, TextParsesBackToTheSame) {
  EXPECT_EQ(to_string(parse_injection("prep=5ms/sample,read=20MB/s")), "read=20MB/s,prep=5ms/sample");
  for (const double value : {1e-7, 0.1 + 0.2, 1.0 / 3, 1234567.891, 5e9, 7.0}) {
    const Injection injection{value, value, value, value, {{0, value}, {17, value / 3}}};
    EXPECT_EQ(parse_injection(to_string(injection)), injection) << to_string(injection);
  }
}

TEST(Injection, AProcessGroupHasALinkOfItsOwn) {
  const Injection injection = parse_injection("link:tp=1Gbit/s,link:dp=2MB/s");
  EXPECT_EQ(injection.group_link_bytes_per_s, (std::map<std::string, double>{{"dp", 2e6}, {"tp", 125e6}}));
  EXPECT_FALSE(injection.empty());
  EXPECT_EQ(parse_injection(to_string(injection)), injection);
  EXPECT_CONTAINS(injection_fault("link:=1Gbit/s"), "link:tp=1Gbit/s");
  EXPECT_CONTAINS(injection_fault("link:tp=1GB/s,link:tp=2GB/s"), "'link:tp' is given twice");
}

TEST(Injection, UnknownKindGetsTheNearest) {
  EXPECT_EQ(injection_fault("reed=20MB/s"), "unknown injection 'reed'; did you mean 'read'?");
  EXPECT_CONTAINS(injection_fault("rankx=+3ms"), "did you mean 'rank0'?");
}

TEST(Injection, BadValuesAreNamed) {
  EXPECT_EQ(injection_fault("read=fast"), "--inject read takes a rate, not 'fast'; write it like 20MB/s or 1Gbit/s");
  EXPECT_CONTAINS(injection_fault("prep=5ms"), "like prep=5ms/sample");
  EXPECT_CONTAINS(injection_fault("link=0MB/s"), "must be more than 0");
  EXPECT_CONTAINS(injection_fault("read=1MB/s,read=2MB/s"), "'read' is given twice");
  EXPECT_CONTAINS(injection_fault("rank1=+1ms,rank1=+2ms"), "'rank1' is given twice");
  EXPECT_CONTAINS(injection_fault("read=1MB/s,"), "ends with a comma");
  EXPECT_CONTAINS(injection_fault("rank1=+1lightyear"), "--inject rank1 takes a duration");
}

}  // namespace stash
