#include "stash/core/units.h"

#include <gtest/gtest.h>

#include "contains.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {

TEST(Units, Durations) {
  EXPECT_DOUBLE_EQ(parse_duration_s("120s", "--max-time"), 120);
  EXPECT_DOUBLE_EQ(parse_duration_s("30ms", "--max-time"), 0.03);
  EXPECT_DOUBLE_EQ(parse_duration_s("5us", "--max-time"), 5e-6);
  EXPECT_DOUBLE_EQ(parse_duration_s("2m", "--max-time"), 120);
  EXPECT_DOUBLE_EQ(parse_duration_s("1.5 h", "--max-time"), 5400);
}

TEST(Units, Dollars) {
  for (const char* text : {"2.50", "$2.50", "2.50USD", "2.5usd"}) EXPECT_DOUBLE_EQ(parse_usd(text, "--budget"), 2.5);
  for (const char* text : {"", "0", "-1", "5eur", "inf", "nan", "1e999", "$"}) {
    EXPECT_THROW(parse_usd(text, "--budget"), UsageError) << text;
  }
}

TEST(Units, GBIsDecimalGiBIsBinaryGbitIsBits) {
  EXPECT_EQ(parse_bytes("2GB", "--bucket"), 2'000'000'000);
  EXPECT_EQ(parse_bytes("2GiB", "--bucket"), 2'147'483'648);
  EXPECT_EQ(parse_bytes("110kB", "--bucket"), 110'000);
  EXPECT_EQ(parse_bytes("512", "--bucket"), 512);
  EXPECT_DOUBLE_EQ(parse_bytes_per_s("1Gbit/s", "--link"), 125e6);
  EXPECT_DOUBLE_EQ(parse_bytes_per_s("1.5GiB/s", "--link"), 1.5 * 1073741824);
}

TEST(Units, Ratios) {
  EXPECT_DOUBLE_EQ(parse_ratio("2%", "--precision"), 0.02);
  EXPECT_DOUBLE_EQ(parse_ratio("0.02", "--precision"), 0.02);
}

TEST(Units, WrongTextNamesTheOptionAndAValidSpelling) {
  const auto fault_of = [](std::string_view text) {
    return message_of<UsageError>([&] { parse_duration_s(text, "--max-time"); });
  };
  EXPECT_EQ(fault_of("soon"), "--max-time takes a duration, not 'soon'; write it like 30ms, 120s or 24h");
  for (const char* text : {"", "120", "-3s", "nan", "inf s", "1e999s", "3 lightyears", "s"}) {
    EXPECT_CONTAINS(fault_of(text), "--max-time takes a duration") << text;
  }
}

TEST(Units, TooManyBytesAreRefused) { EXPECT_THROW(parse_bytes("99999999999TB", "--bucket"), UsageError); }

TEST(Units, DurationsHaveThreeDigits) {
  EXPECT_EQ(format_duration(0.000412), "412 µs");
  EXPECT_EQ(format_duration(0.0372), "37.2 ms");
  EXPECT_EQ(format_duration(1.94), "1.94 s");
  EXPECT_EQ(format_duration(720), "12 min");
  EXPECT_EQ(format_duration(-0.0021), "-2.10 ms");
  EXPECT_EQ(format_duration(0.9996), "1.00 s");
  EXPECT_EQ(format_duration(0), "0 s");
}

TEST(Units, BytesAndCounts) {
  EXPECT_EQ(format_bytes(110'000), "110 kB");
  EXPECT_EQ(format_bytes(1.2e9), "1.2 GB");
  EXPECT_EQ(format_bytes(12), "12 B");
  EXPECT_EQ(format_count(25'557'032), "25,557,032");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(-1000), "-1,000");
}

}  // namespace stash
