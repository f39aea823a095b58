#include "stash/predict/all_reduce.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stash {
namespace {

constexpr double kBytes = 6000;

// Two nodes of four: links of 1,000 B/s and 1 s a hop, a network of 100 B/s and 10 s a hop.
Cluster two_nodes() {
  Cluster cluster;
  cluster.nodes = 2;
  cluster.ranks_per_node = 4;
  cluster.link_bytes_per_s = 1000;
  cluster.link_latency_s = 1;
  cluster.network_bytes_per_s = 100;
  cluster.network_latency_s = 10;
  return cluster;
}

double joined_s(Cluster cluster, AllReduce way) {
  cluster.all_reduce = way;
  return AllReduceChoice::among_all(cluster).for_bytes(kBytes).s(kBytes);
}

TEST(AllReduce, ARingOfANodePassesEveryByteAlmostTwice) {
  EXPECT_DOUBLE_EQ(AllReduceChoice::among_node(two_nodes()).for_bytes(kBytes).s(kBytes), 6 + 2 * 0.75 * kBytes / 1000);
}

TEST(AllReduce, ARingOverNodesRunsAtItsSlowestLink) {
  EXPECT_DOUBLE_EQ(joined_s(two_nodes(), AllReduce::ring), (14 - 2) * 1 + 2 * 10 + 2 * 0.875 * kBytes / 100);
}

TEST(AllReduce, ATreeHasFewerHopsBetweenNodes) {
  Cluster cluster = two_nodes();
  EXPECT_DOUBLE_EQ(joined_s(cluster, AllReduce::tree), 6 + 20 + kBytes / 100);
  cluster.nodes = 9;
  EXPECT_DOUBLE_EQ(joined_s(cluster, AllReduce::tree), 6 + 2 * 4 * 10 + 2 * 8. / 9 * kBytes / 100);
}

TEST(AllReduce, AHierarchicalOneSharesTheNetworkAmongTheRanksOfANode) {
  const double inside_s = 3 * 1 + 0.75 * kBytes / 1000;
  const double across_s = 2 * 10 + kBytes / 4 / 25;
  EXPECT_DOUBLE_EQ(joined_s(two_nodes(), AllReduce::hierarchical), 2 * inside_s + across_s);
}

TEST(AllReduce, TheQuickestDependsOnTheSize) {
  Cluster cluster = two_nodes();
  cluster.nodes = 16;
  const AllReduceChoice choice = AllReduceChoice::among_all(cluster);
  for (const double bytes : {1.0, 1e3, 1e6, 1e9}) {
    double quickest_s = kNoLimit;
    for (const AllReduce way : {AllReduce::ring, AllReduce::tree, AllReduce::hierarchical}) {
      cluster.all_reduce = way;
      quickest_s = std::min(quickest_s, AllReduceChoice::among_all(cluster).for_bytes(bytes).s(bytes));
    }
    EXPECT_EQ(choice.for_bytes(bytes).s(bytes), quickest_s);
  }
  EXPECT_EQ(choice.for_bytes(1).across.latency_s, 6 + 2 * 4 * 10);  // the tree's
}

TEST(AllReduce, SharedUplinksAreCrowdedWithoutPeerToPeer) {
  Cluster cluster = two_nodes();
  cluster.nodes = 1;
  cluster.link_latency_s = 0;
  cluster.ranks_per_uplink = 2;
  cluster.uplink_bytes_per_s = 500;
  const auto node_s = [&] { return AllReduceChoice::among_node(cluster).for_bytes(kBytes).s(kBytes); };
  EXPECT_DOUBLE_EQ(node_s(), 1.5 * kBytes / 500);  // one transfer leaves each uplink
  cluster.peer_to_peer = false;
  EXPECT_DOUBLE_EQ(node_s(), 1.5 * kBytes / 250);  // two do
  cluster.peer_to_peer = true;
  cluster.ranks_per_uplink = 4;
  EXPECT_DOUBLE_EQ(node_s(), 1.5 * kBytes / 1000);  // none does
}

TEST(AllReduce, FillingThePipelineCostsAShareOfTheGeometricMean) {
  Cluster cluster = two_nodes();
  cluster.ramp_ratio = 0.5;
  const double latency_s = 6, bytes_s = 1.5 * kBytes / 1000;
  EXPECT_DOUBLE_EQ(AllReduceChoice::among_node(cluster).for_bytes(kBytes).s(kBytes),
                   latency_s + bytes_s + 0.5 * std::sqrt(latency_s * bytes_s));
}

TEST(AllReduce, AServerTakesEveryRanksGradientsAndGivesThemBack) {
  Cluster cluster = two_nodes();
  cluster.host_bytes_per_s = 2000;
  const double copies_s = 2 * 4 * kBytes / 2000;
  EXPECT_DOUBLE_EQ(joined_s(cluster, AllReduce::server), 2 * 1 + 2 * 10 + copies_s + kBytes / 100);
  cluster.nodes = 1;
  EXPECT_DOUBLE_EQ(joined_s(cluster, AllReduce::server), 2 * 1 + copies_s);
  EXPECT_DOUBLE_EQ(joined_s(cluster, AllReduce::gather), 2 * 1 + copies_s * 3 / 4);  // one has its own already
}

TEST(AllReduce, ASwitchThatAddsUpSparesTheChain) {
  Cluster cluster = two_nodes();
  cluster.network_bytes_per_s = kNoLimit;
  const double chain_s = joined_s(cluster, AllReduce::tree);
  cluster.switch_reduces = true;
  EXPECT_DOUBLE_EQ(chain_s - joined_s(cluster, AllReduce::tree), 0.25 * 2 * kBytes / 1000);
}

TEST(AllReduce, CopiesShareAnUplink) {
  Cluster cluster = two_nodes();
  EXPECT_EQ(shared_copy_bytes_per_s(cluster), kNoLimit);
  cluster.copy_bytes_per_s = 800;
  EXPECT_EQ(shared_copy_bytes_per_s(cluster), 800);
  cluster.ranks_per_uplink = 2;
  cluster.uplink_bytes_per_s = 1000;
  EXPECT_EQ(shared_copy_bytes_per_s(cluster), 500);
}

TEST(AllReduce, WhatWasMeasuredTakesThePlaceOfTheLinks) {
  Cluster cluster = two_nodes();
  cluster.measured_node = LinkFit{.latency_s = 0.25, .bytes_per_s = 3000};
  cluster.measured_joined = LinkFit{.latency_s = 0.5, .bytes_per_s = 600};
  EXPECT_DOUBLE_EQ(AllReduceChoice::among_node(cluster).for_bytes(kBytes).s(kBytes), 2.25);
  EXPECT_DOUBLE_EQ(joined_s(cluster, AllReduce::quickest), 10.5);
}

TEST(AllReduce, AFitOfSomeRanksGivesTheLinkOfARingOfOthers) {
  Cluster cluster = two_nodes();
  cluster.nodes = 1;
  const RingLink link = ring_link({.latency_s = 6, .bytes_per_s = 1000 / 1.5}, 4);
  EXPECT_DOUBLE_EQ(link.latency_s, 1);
  EXPECT_DOUBLE_EQ(link.bytes_per_s, 1000);
}

TEST(AllReduce, OneRankHasNobodyToSumWith) {
  Cluster cluster = two_nodes();
  cluster.nodes = cluster.ranks_per_node = 1;
  EXPECT_TRUE(AllReduceChoice::among_node(cluster).empty());
  EXPECT_TRUE(AllReduceChoice::among_all(cluster).empty());
}

}  // namespace
}  // namespace stash
