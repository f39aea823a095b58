#include "stash/catalog/gpu.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

const std::string kHeader =
    "name,generation,fp32_ops_per_s,fp16_ops_per_s,bf16_ops_per_s,memory_bytes,memory_bytes_per_s,source,date\n";

std::string message_of_row(const std::string& row) {
  return message_of([&] { parse_gpus(kHeader + row, "x.csv"); });
}

TEST(Gpu, TheCatalogueHasTheGpusOfTheStudyAndNewerOnes) {
  for (const char* name :
       {"K80", "P100", "M60", "V100", "T4", "A10G", "L4", "L40S", "A100", "A100-80GB", "H100", "H200", "B200"}) {
    const Gpu& gpu = find_gpu(name);
    EXPECT_EQ(gpu.name, name);
    EXPECT_FALSE(gpu.source.empty() || gpu.date.empty()) << name;
  }
  EXPECT_EQ(find_gpu("V100").fp32_ops_per_s, 15.7e12);
  EXPECT_EQ(find_gpu("V100").memory_bytes, std::int64_t{16} << 30);
}

TEST(Gpu, NamesAreFoundInAnyCase) {
  EXPECT_EQ(find_gpu("a100-80gb").name, "A100-80GB");
  EXPECT_EQ(find_gpu("l40s").name, "L40S");
}

TEST(Gpu, AnUnknownNameGetsTheNearest) {
  EXPECT_THROW(find_gpu("v10"), UsageError);
  EXPECT_NE(message_of([] { find_gpu("v10"); }).find("V100"), std::string::npos);
}

TEST(Gpu, ATypeThatTheChipLacksNamesThoseItHas) {
  EXPECT_EQ(find_gpu("V100").ops_per_s(DType::fp16), 125e12);
  EXPECT_EQ(message_of([] { find_gpu("V100").ops_per_s(DType::bf16); }),
            "V100 has no bf16 support; use --dtype fp32 or fp16");
  EXPECT_EQ(message_of([] { find_gpu("K80").ops_per_s(DType::fp16); }), "K80 has no fp16 support; use --dtype fp32");
}

TEST(Gpu, TypesAreKnownByName) {
  EXPECT_EQ(parse_dtype("bf16"), DType::bf16);
  EXPECT_EQ(to_string(DType::fp16), "fp16");
  EXPECT_THROW(parse_dtype("fp64"), UsageError);
}

TEST(Gpu, AnAbsentRateIsUnknown) {
  const std::vector<Gpu> gpus = parse_gpus(kHeader + "X,volta,1e12,,2e12,1024,3e9,\"a, b\",2020\n", "x.csv");
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].generation, Generation::volta);
  EXPECT_FALSE(gpus[0].fp16_ops_per_s);
  EXPECT_EQ(gpus[0].bf16_ops_per_s, 2e12);
  EXPECT_EQ(gpus[0].source, "a, b");
}

TEST(Gpu, AFigureThatIsMissingOrNotPositiveNamesItsRow) {
  EXPECT_EQ(message_of_row("X,volta,,,,1024,3e9,s,2020\n"), "x.csv line 2 (X): fp32_ops_per_s is missing");
  for (const char* figure : {"0", "-1", "nan", "inf", "1e99", "12TF", "0x10", " 1"}) {
    const std::string message = message_of_row("X,volta,1e12,,,1024," + std::string(figure) + ",s,2020\n");
    EXPECT_EQ(message.find("x.csv line 2 (X): memory_bytes_per_s is '"), 0u) << figure << ": " << message;
  }
  EXPECT_NE(message_of_row("X,volta,1e12,-5,,1024,3e9,s,2020\n").find("fp16_ops_per_s is '-5'"), std::string::npos);
}

TEST(Gpu, ARowWithoutSourceGenerationOrItsOwnNameIsRefused) {
  EXPECT_NE(message_of_row("X,volta,1e12,,,1024,3e9,,2020\n").find("source is missing"), std::string::npos);
  EXPECT_NE(message_of_row("X,fermi,1e12,,,1024,3e9,s,2020\n").find("generation 'fermi' is not known"),
            std::string::npos);
  const std::string row = "X,volta,1e12,,,1024,3e9,s,2020\n";
  EXPECT_NE(message_of_row(row + "x" + row.substr(1)).find("line 3: 'x' is listed twice"), std::string::npos);
}

TEST(Gpu, AnotherHeaderIsRefused) {
  EXPECT_NE(message_of([] { parse_gpus("name,flops\nX,1\n", "x.csv"); }).find("header"), std::string::npos);
}

}  // namespace
}  // namespace stash
