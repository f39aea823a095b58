#include <gtest/gtest.h>

#include "stash/catalog/instances.h"
#include "stash/predict/described_cluster.h"
#include "stash/predict/what_if.h"
#include "support/any_contains.h"

namespace stash {
namespace {

DescribedCluster described(const char* instance, int nodes, int gpus, const WhatIf& what_if = {}) {
  return describe_cluster(find_instance(instance), nodes, gpus, what_if);
}

WhatIf with(const char* key_and_value) {
  WhatIf what_if;
  set(what_if, key_and_value);
  return what_if;
}

TEST(DescribedLinks, FewerGpusOfACubeMeshHaveFewerNvlinks) {
  const double eight = described("p3.16xlarge", 1, 8).links->bytes_per_s;
  const double four = described("p3.16xlarge", 1, 4).links->bytes_per_s;
  const double two = described("p3.16xlarge", 1, 2).links->bytes_per_s;
  EXPECT_GT(eight, four);
  EXPECT_GT(four, two);
}

TEST(DescribedLinks, BadlyPlacedGpusOfACubeMeshAreSlow) {
  const double good = described("dgx1-v100", 1, 4, with("placement=0,1,2,3")).links->bytes_per_s;
  EXPECT_EQ(good, described("dgx1-v100", 1, 4).links->bytes_per_s);
  EXPECT_LT(described("dgx1-v100", 1, 4, with("placement=0,3,5,6")).links->bytes_per_s, good / 2);
  EXPECT_GE(described("dgx1-v100", 1, 4, with("placement=0,3,5,6")).cluster.contention_ratio,
            described("dgx1-v100", 1, 4).cluster.contention_ratio);
}

TEST(DescribedLinks, APlacementOnUnknownWiringSaysThatItChangesNothing) {
  const DescribedCluster there = described("8x-l40s", 1, 2, with("placement=0,5"));
  EXPECT_TRUE(any_contains(there.assumptions, "placement changes nothing"));
}

TEST(DescribedLinks, AllGpusOfANewNvswitchAddUpInIt) {
  EXPECT_GT(described("p5.48xlarge", 1, 8).links->bytes_per_s, 1.2 * described("p5.48xlarge", 1, 4).links->bytes_per_s);
  EXPECT_TRUE(described("p5.48xlarge", 1, 8).cluster.switch_reduces);
  EXPECT_FALSE(described("p4d.24xlarge", 1, 8).cluster.switch_reduces);
}

TEST(DescribedLinks, EveryRateSaysWhereItComesFrom) {
  EXPECT_EQ(described("p5.48xlarge", 2, 8).network->evidence, RateEvidence::published);
  EXPECT_EQ(described("p4d.24xlarge", 1, 8).links->evidence, RateEvidence::fitted);
  EXPECT_EQ(described("p4d.24xlarge", 1, 8, with("links=pcie")).links->evidence, RateEvidence::data_sheet);
  const DescribedCluster given = described("p4d.24xlarge", 2, 8, with("network=100Gbit/s"));
  EXPECT_EQ(given.network->evidence, RateEvidence::given);
  EXPECT_EQ(given.cluster.network_bytes_per_s, 12.5e9);
}

TEST(DescribedLinks, TheLessIsKnownTheWiderTheInterval) {
  const double given = described("p4d.24xlarge", 1, 8, with("links=100GB/s")).links->spread;
  const double fitted = described("p4d.24xlarge", 1, 8).links->spread;
  const double data_sheet = described("p4d.24xlarge", 1, 8, with("links=pcie")).links->spread;
  EXPECT_LT(given, fitted);
  EXPECT_LT(fitted, data_sheet);
}

TEST(DescribedLinks, OneTcpConnectionLimitsAnAwsMachine) {
  EXPECT_LT(described("g5.24xlarge", 2, 4).network->bytes_per_s, 0.7e9);
  EXPECT_GT(described("g5.24xlarge", 2, 4, with("reduce=server")).network->bytes_per_s, 1e9);  // it opens many
}

TEST(DescribedLinks, SumsOnTheHostUseItsMemory) {
  const DescribedCluster server = described("p2.8xlarge", 1, 8, with("reduce=server"));
  EXPECT_EQ(server.cluster.all_reduce, AllReduce::server);
  EXPECT_EQ(server.links->what, "host memory");
  EXPECT_EQ(described("p2.8xlarge", 1, 8, with("reduce=gather")).links->what, "host memory");
}

TEST(DescribedLinks, WhatAServerAddsUpGrowsWithItsCpus) {
  const auto rate = [](const char* instance) {
    return described(instance, 1, 4, with("reduce=server")).links->bytes_per_s;
  };
  EXPECT_GT(rate("dgx1-p100"), 2 * rate("p2.8xlarge"));  // 80 CPUs and 32
}

TEST(DescribedLinks, GatheringOnAGpuUsesItsSlot) {
  const auto rate = [](const char* instance) {
    return described(instance, 1, 2, with("reduce=gather")).links->bytes_per_s;
  };
  EXPECT_NEAR(rate("8x-h100-pcie"), 4 * rate("8x-1080ti"), 1e6);  // PCIe 5 and 3
}

TEST(DescribedLinks, OneGpuHasNoLinks) {
  EXPECT_FALSE(described("p3.2xlarge", 1, 1).links);
  EXPECT_FALSE(described("p3.2xlarge", 1, 1).network);
}

}  // namespace
}  // namespace stash
