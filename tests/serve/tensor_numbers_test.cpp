#include "stash/serve/protocol/tensor_numbers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stash {
namespace {

using Json = nlohmann::json;

Json there_and_back(const char* type, const Json& value) {
  std::string bytes;
  append_number(value, *find_tensor_type(type), bytes);
  EXPECT_EQ(bytes.size(), static_cast<std::size_t>(find_tensor_type(type)->bytes)) << type;
  return number_at(bytes.data(), *find_tensor_type(type));
}

}  // namespace

TEST(TensorNumbers, WhatATypeCanHoldComesBack) {
  for (const char* const type : {"FP16", "BF16", "FP32", "FP64"}) {
    for (const double value : {0.0, 1.0, -2.5, 0.125, 96.0}) {
      EXPECT_EQ(there_and_back(type, value).get<double>(), value) << type;
    }
  }
  for (const char* const type : {"INT8", "INT16", "INT32", "INT64"})
    EXPECT_EQ(there_and_back(type, -100), -100) << type;
  for (const char* const type : {"UINT8", "UINT16", "UINT32", "UINT64"}) {
    EXPECT_EQ(there_and_back(type, 200U), 200U) << type;
  }
  EXPECT_EQ(there_and_back("UINT64", 18446744073709551615ULL), 18446744073709551615ULL);
  EXPECT_EQ(there_and_back("BOOL", true), true);
}

TEST(TensorNumbers, HalvesAreRoundedToTheNearest) {
  EXPECT_EQ(there_and_back("FP16", 65504).get<double>(), 65504);
  EXPECT_TRUE(there_and_back("FP16", 70000).is_null());               // infinity
  EXPECT_EQ(there_and_back("FP16", 0x1p-24).get<double>(), 0x1p-24);  // the smallest above 0
  EXPECT_EQ(there_and_back("FP16", 1 + 0x1p-11).get<double>(), 1);    // a tie, to even
  EXPECT_EQ(there_and_back("FP16", 1 + 0x1p-10).get<double>(), 1 + 0x1p-10);
  EXPECT_EQ(there_and_back("BF16", 1 + 0x1p-8).get<double>(), 1);
}

TEST(TensorNumbers, WhatATypeCannotHoldIsNoNumberForIt) {
  const auto fits = [](const char* type, const Json& value) { return is_number_for(value, *find_tensor_type(type)); };
  EXPECT_FALSE(fits("INT8", 128));
  EXPECT_TRUE(fits("INT8", -128));
  EXPECT_FALSE(fits("INT8", -129));
  EXPECT_FALSE(fits("UINT8", -1));
  EXPECT_FALSE(fits("UINT8", 256));
  EXPECT_FALSE(fits("BOOL", 2));
  EXPECT_FALSE(fits("INT64", 1.5));
  EXPECT_FALSE(fits("FP32", "1"));
}

}  // namespace stash
