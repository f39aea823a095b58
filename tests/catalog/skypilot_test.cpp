#include "stash/catalog/skypilot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "stash/catalog/instances.h"
#include "stash/catalog/skypilot_price.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

const std::string kVersion7 =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n";
const std::string kVersion8 =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,"
    "Arch,LocalDiskType,NVMeSupported,LocalDiskSize,LocalDiskCount\n";
const std::string kInfo32 =
    "\"{'Gpus': [{'Name': 'V100', 'Count': 8, 'MemoryInfo': {'SizeInMiB': 32768}}], 'TotalGpuMemoryInMiB': 262144}\"";

SkypilotImport import(const std::string& text, const std::string& region = "") {
  std::istringstream input(text);
  return import_skypilot(input, {.source = "vms.csv", .date = "2026-08-22", .cloud = "", .region = region},
                         instance_table());
}

// A row with one GPU.
std::string row(const std::string& name, const std::string& price, const std::string& region,
                const std::string& spot = "") {
  return name + ",V100,1.0,8.0,61.0,," + price + "," + spot + "," + region + "," + region + "a\n";
}

std::vector<std::string> warnings_of(const std::string& rows) {
  return import(kVersion7 + row("good", "1", "us-east-1") + rows).catalogue.warnings;
}

TEST(Skypilot, ShapeAndPriceComeFromTheRowAndTheRestIsUnknown) {
  const SkypilotImport found =
      import(kVersion7 + "x8.large,V100,8.0,96.0,768.0," + kInfo32 + ",31.2,9.5,us-east-1,use1-az1\n");
  ASSERT_EQ(found.catalogue.instances.size(), 1u);
  const Instance& instance = found.catalogue.instances[0];
  EXPECT_EQ(instance.gpu, "V100-32GB");
  EXPECT_EQ(instance.gpus, 8);
  EXPECT_EQ(instance.gpu_memory_bytes, std::int64_t{32} << 30);
  EXPECT_EQ(instance.vcpus, 96);
  EXPECT_EQ(instance.memory_bytes, std::int64_t{768} << 30);
  EXPECT_EQ(instance.usd_per_h, 31.2);
  EXPECT_EQ(instance.spot_usd_per_h, 9.5);
  EXPECT_EQ(instance.price_date, "2026-08-22");
  EXPECT_EQ(instance.price_source, "SkyPilot vms.csv, us-east-1, 2026-08-22");
  EXPECT_FALSE(instance.network_bytes_per_s || instance.links);
}

TEST(Skypilot, Version8HasMoreColumnsAndAnyOrderWillDo) {
  const SkypilotImport found =
      import(kVersion8 + "x.large,T4,1.0,4.0,16.0,,0.5,0.2,us-west-2,usw2-az1,x86_64,ssd,True,125.0,1.0\n");
  EXPECT_EQ(found.catalogue.instances.at(0).gpu, "T4");
  const SkypilotImport other =
      import("Price,Region,MemoryGiB,vCPUs,AcceleratorCount,AcceleratorName,InstanceType\n3,us-east-1,61,8,1,V100,y\n");
  EXPECT_EQ(other.catalogue.instances.at(0).usd_per_h, 3);
}

TEST(Skypilot, TheCheapestUsRegionIsTaken) {
  const SkypilotImport found =
      import(kVersion7 + row("a", "5", "us-east-1") + row("a", "2", "eu-west-1") + row("a", "4", "us-west-2", "1.5") +
             row("a", "4", "us-west-2", "1.2") + row("b", "7", "ap-south-1") + row("b", "6", "eu-west-1"));
  ASSERT_EQ(found.catalogue.instances.size(), 2u);
  EXPECT_EQ(found.catalogue.instances[0].usd_per_h, 4);
  EXPECT_EQ(found.catalogue.instances[0].spot_usd_per_h, 1.2);
  EXPECT_EQ(found.catalogue.instances[1].usd_per_h, 6);  // not sold in the US
  EXPECT_NE(found.catalogue.instances[1].price_source.find("eu-west-1"), std::string::npos);
}

TEST(Skypilot, ARegionCanBeNamed) {
  const std::string text =
      kVersion7 + row("a", "5", "us-east-1") + row("a", "6", "eu-west-1") + row("b", "1", "us-east-1");
  const SkypilotImport found = import(text, "eu-west-1");
  ASSERT_EQ(found.catalogue.instances.size(), 1u);
  EXPECT_EQ(found.catalogue.instances[0].usd_per_h, 6);
  EXPECT_NE(message_of([&] { import(text, "eu-west-2"); }).find("'eu-west-1'"), std::string::npos);
}

TEST(Skypilot, RegionsOfTheUsAreKnownInEveryCloudsSpelling) {
  for (const char* region : {"us-east-1", "us-central1", "eastus", "eastus2", "southcentralus", "us-ashburn-1"}) {
    EXPECT_TRUE(is_us_region(region)) << region;
  }
  for (const char* region : {"eu-west-1", "us-gov-west-1", "australiaeast", "europe-west4", "mexicocentral", ""}) {
    EXPECT_FALSE(is_us_region(region)) << region;
  }
}

TEST(Skypilot, ARowWithAMissingZeroOrNegativeFigureIsNamedAndLeftOut) {
  const std::pair<const char*, const char*> kRows[] = {
      {"x,V100,1.0,8.0,61.0,,,,us-east-1,a\n", "Price is missing"},
      {"x,V100,1.0,8.0,61.0,,0,,us-east-1,a\n", "Price is '0'"},
      {"x,V100,1.0,8.0,61.0,,-3,,us-east-1,a\n", "Price is '-3'"},
      {"x,V100,1.0,8.0,61.0,,nan,,us-east-1,a\n", "Price is 'nan'"},
      {"x,V100,1.0,8.0,61.0,,3,-1,us-east-1,a\n", "SpotPrice is '-1'"},
      {"x,V100,,8.0,61.0,,3,,us-east-1,a\n", "AcceleratorCount is missing"},
      {"x,V100,-1,8.0,61.0,,3,,us-east-1,a\n", "AcceleratorCount is '-1'"},
      {"x,V100,1.5,8.0,61.0,,3,,us-east-1,a\n", "AcceleratorCount is not whole"},
      {"x,V100,1,,61.0,,3,,us-east-1,a\n", "vCPUs is missing"},
      {"x,V100,1,8,-61.0,,3,,us-east-1,a\n", "MemoryGiB is '-61.0'"},
      {"x,V100,1\n", "3 fields where the header has 10"},
      {"x,V100,1,8,61,\"{'a,3,,us-east-1,a\n", "never closed"}};
  for (const auto& [text, problem] : kRows) {
    const std::vector<std::string> warnings = warnings_of(text);
    ASSERT_EQ(warnings.size(), 1u) << text;
    EXPECT_EQ(warnings[0].find("vms.csv line 3: 'x' is left out: "), 0u) << warnings[0];
    EXPECT_NE(warnings[0].find(problem), std::string::npos) << warnings[0];
  }
}

TEST(Skypilot, TheSameFaultInEveryZoneIsToldOnce) {
  const std::vector<std::string> warnings =
      warnings_of(row("x", "", "us-east-1") + row("x", "", "us-east-2") + row("x", "", "us-west-1"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "vms.csv line 3: 'x' is left out: Price is missing, and in 2 more rows");
}

TEST(Skypilot, RowsWithoutAGpuAreCounted) {
  const SkypilotImport found = import(
      kVersion7 + row("a", "1", "us-east-1") + "m5.large,,,2.0,8.0,,0.1,,us-east-1,a\n" +
      "inf1.xlarge,Inferentia,1.0,4.0,8.0,,0.2,,us-east-1,a\n" + "g6f.large,L4,0.125,2.0,8.0,,0.2,,us-east-1,a\n");
  EXPECT_EQ(found.rows, 4);
  EXPECT_EQ(found.cpu_rows, 1);
  EXPECT_EQ(found.other_rows, 2);
  EXPECT_TRUE(found.catalogue.warnings.empty());
}

TEST(Skypilot, AGpuThatIsNotInTheCatalogueKeepsItsName) {
  const SkypilotImport found =
      import(kVersion7 + "x,Radeon Pro V520,1.0,4.0,8.0,\"{'Gpus': [{'Name': 'Radeon Pro V520'}]}\",1,,us-east-1,a\n");
  EXPECT_EQ(found.catalogue.instances.at(0).gpu, "Radeon Pro V520");
  EXPECT_EQ(known_gpu(found.catalogue.instances[0]), nullptr);
}

TEST(Skypilot, WhatTheCatalogueKnowsOfAMachinesGpusWins) {
  const SkypilotImport found =
      import(kVersion7 + "Standard_ND96isr_H100_v5,H100,12,96,1900,H100,98.32,98.32,eastus,\n");
  EXPECT_EQ(found.catalogue.instances.at(0).gpus, 8);
  EXPECT_EQ(found.cloud, "azure");
  ASSERT_EQ(found.catalogue.warnings.size(), 1u);
  EXPECT_NE(found.catalogue.warnings[0].find("12 GPUs"), std::string::npos);
}

TEST(Skypilot, GooglesMachinesAndGpusArePricedTogether) {
  const std::string header =
      "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n";
  const SkypilotImport found = import(header +
                                      "a2-highgpu-2g,24.0,170.0,,,,us-central1,us-central1-a,1.5,0.7\n"
                                      "a2-highgpu-2g,24.0,170.0,,,,us-east1,us-east1-b,1.0,0.5\n"
                                      "n1-standard-1,1.0,3.75,,,,us-east1,us-east1-b,0.05,0.01\n"
                                      ",,,A100,1,,us-central1,us-central1-a,2.9,1.4\n"
                                      ",,,A100,2,,us-central1,us-central1-a,5.9,2.8\n"
                                      ",,,tpu-v5p-8,1,tpu-v5p-8,us-central1,us-central1-a,700,300\n");
  ASSERT_EQ(found.catalogue.instances.size(), 1u);
  EXPECT_EQ(found.cloud, "google");
  EXPECT_DOUBLE_EQ(*found.catalogue.instances[0].usd_per_h, 7.4);
  EXPECT_DOUBLE_EQ(*found.catalogue.instances[0].spot_usd_per_h, 3.5);
  EXPECT_EQ(found.catalogue.instances[0].gpus, 2);
}

TEST(Skypilot, WhatIsNotItsFileIsRefused) {
  EXPECT_EQ(message_of([] { import(""); }), "vms.csv is empty; it needs SkyPilot's header and rows");
  EXPECT_NE(message_of([] { import("a,b\n1,2\n"); }).find("no column 'InstanceType'"), std::string::npos);
  EXPECT_NE(message_of([] { import(kVersion7); }).find("no machine with GPUs"), std::string::npos);
  const std::string faulty = message_of([] { import(kVersion7 + row("x", "-1", "us-east-1")); });
  EXPECT_NE(faulty.find("'x' is left out"), std::string::npos) << faulty;
}

TEST(Skypilot, ALineWithoutEndDoesNotFillTheMemory) {
  const std::string message = message_of([] { import(kVersion7 + std::string(10'000'000, 'x')); });
  EXPECT_EQ(message.find("vms.csv line 2 is longer than 65536 bytes"), 0u) << message;
}

TEST(Skypilot, LinesMayLieAcrossTheReadersBuffer) {
  std::string text = kVersion7;
  for (int i = 0; i < 3000; ++i)
    text += "name" + std::to_string(i) + ",V100,1.0,8.0,61.0," + kInfo32 + ",3.5,1.5,us-east-1,a\r\n";
  const SkypilotImport found = import(text);
  EXPECT_EQ(found.catalogue.instances.size(), 3000u);
  for (const Instance& instance : found.catalogue.instances) EXPECT_EQ(instance.gpu, "V100-32GB");
}

TEST(Skypilot, ManyFaultsAreNotAllTold) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += row(fmt::format("x{}", i), "-1", "us-east-1");
  const std::vector<std::string> warnings = warnings_of(text);
  EXPECT_EQ(warnings.size(), 51u);
  EXPECT_NE(warnings.back().find("950 more"), std::string::npos);
}

}  // namespace
}  // namespace stash
