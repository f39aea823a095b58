#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "../core/mutate.h"
#include "stash/catalog/instance_csv.h"
#include "stash/catalog/instance_json.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/skypilot.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kMutations = 4000;

const std::string kValid =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,"
    "Arch\n"
    "a1.large,,,2.0,4.0,,0.0642,0.064200,ap-northeast-1,apne1-az2,arm64\n"
    "p3.2xlarge,V100,1.0,8.0,61.0,\"{'Gpus': [{'Name': 'V100', 'MemoryInfo': {'SizeInMiB': "
    "16384}}]}\",3.06,0.9,us-east-1,z,x86_64\n"
    "p4d.24xlarge,A100,8.0,96.0,1152.0,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 40960}}]}\",21.9,,us-west-2,z,x86_64\n"
    "a2-highgpu-1g,,,12.0,85.0,,0.7,0.3,us-central1,us-central1-a,\n"
    ",A100,1,,,,2.9,1.1,us-central1,us-central1-a,\n";

// Bytes flipped, cut out, doubled, or replaced by what readers of tables stumble over.
std::string mutate(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kTokens = {",",
                                                   "\"",
                                                   "\"\"",
                                                   "\n",
                                                   "\r\n",
                                                   "-1",
                                                   "0",
                                                   "1e999",
                                                   "nan",
                                                   "'SizeInMiB': -5",
                                                   "inf",
                                                   std::string(1, '\0'),
                                                   "99999999999999999999",
                                                   "us-",
                                                   ",,,,,,,,,,"};
  return stash::mutate(std::move(text), random, kTokens, 4, 30);
}

TEST(SkypilotFuzz, DamagedFilesGiveSoundRowsOrAnErrorAndNothingElse) {
  std::mt19937 random(20260822);
  int refused = 0, warned = 0;
  for (int i = 0; i < kMutations; ++i) {
    std::istringstream input(mutate(kValid, random));
    try {
      const SkypilotImport found = import_skypilot(
          input, {.source = "vms.csv", .date = "2026-08-22", .cloud = "", .region = ""}, instance_table());
      for (const Instance& instance : found.catalogue.instances) EXPECT_NO_THROW(check_instance(instance));
      warned += !found.catalogue.warnings.empty();
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kMutations / 50);
  EXPECT_GT(warned, kMutations / 10);
  EXPECT_LT(refused + warned, kMutations);
}

TEST(InstanceFuzz, DamagedCataloguesGiveSoundRowsOrAnErrorAndNothingElse) {
  const std::vector<Instance> rows(instance_table().begin(), instance_table().begin() + 3);
  const std::string csv = instances_csv(rows), json = to_json_text(rows);
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < kMutations; ++i) {
    const bool is_csv = i % 2 == 0;
    const std::string text = mutate(is_csv ? csv : json, random);
    try {
      const Catalogue found = is_csv ? parse_instances(text, "x.csv") : instances_from_json_text(text, "x.json");
      for (const Instance& instance : found.instances) EXPECT_NO_THROW(check_instance(instance));
      ++read;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, kMutations / 10);
  EXPECT_LT(read, kMutations);
}

}  // namespace
}  // namespace stash
