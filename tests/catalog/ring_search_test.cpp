#include "stash/catalog/topology/ring_search.h"

#include <gtest/gtest.h>

#include <set>

#include "stash/catalog/topology/ring_packing.h"
#include "stash/catalog/topology/topology_text.h"
#include "stash/core/error.h"

namespace stash {
namespace {

const Topology& wiring(std::string_view name) {
  for (const Topology& topology : topology_table()) {
    if (topology.name == name) return topology;
  }
  throw Error("no such topology");
}

NodeRings rings_of(std::string_view name, std::vector<int> gpus) { return find_rings(wiring(name), gpus); }

TEST(RingSearch, ACubeMeshOfEightV100sHasSixRings) {
  const NodeRings rings = find_rings(wiring("v100-dgx1"), 8);
  EXPECT_EQ(rings.kind, RingPath::nvlink);
  EXPECT_EQ(rings.channels, 6);
  EXPECT_DOUBLE_EQ(rings.ring_bytes_per_s, 150e9);
  EXPECT_TRUE(rings.peer_to_peer);
  EXPECT_FALSE(rings.nvls);
  EXPECT_FALSE(rings.slowest_pair);
  EXPECT_EQ(std::set<int>(rings.order.begin(), rings.order.end()).size(), 8u);
}

TEST(RingSearch, EachHopOfARingInACubeMeshIsAnNvlink) {
  const NodeRings rings = find_rings(wiring("v100-dgx1"), 8);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_GT(nvlinks_between(wiring("v100-dgx1"), rings.order[i], rings.order[(i + 1) % 8]), 0) << i;
  }
}

TEST(RingSearch, HalfACubeMeshHasFourRings) {
  EXPECT_DOUBLE_EQ(find_rings(wiring("v100-aws"), 4).ring_bytes_per_s, 100e9);
  EXPECT_DOUBLE_EQ(rings_of("v100-aws", {4, 5, 6, 7}).ring_bytes_per_s, 100e9);
}

TEST(RingSearch, FourBadlyPlacedV100sOfACubeMeshAreSlow) {
  const NodeRings rings = rings_of("v100-dgx1", {0, 3, 5, 6});  // two pairs without an NVLink between them
  EXPECT_EQ(rings.kind, RingPath::across_sockets);
  EXPECT_FALSE(rings.peer_to_peer);
  EXPECT_LE(rings.ring_bytes_per_s, 25e9);
  EXPECT_GE(rings.ring_bytes_per_s, 12.5e9);
  ASSERT_TRUE(rings.slowest_pair);
  const std::set<std::set<int>> far{{3, 5}, {3, 6}, {0, 5}, {0, 6}};
  EXPECT_TRUE(far.contains({rings.slowest_pair->first, rings.slowest_pair->second}));
  EXPECT_NE(rings.why.find("through the host's memory and across sockets"), std::string::npos) << rings.why;
}

TEST(RingSearch, TwoGpusOfACubeMeshHaveTheLinksBetweenThem) {
  EXPECT_DOUBLE_EQ(rings_of("v100-dgx1", {0, 3}).ring_bytes_per_s, 50e9);
  EXPECT_DOUBLE_EQ(rings_of("v100-dgx1", {0, 1}).ring_bytes_per_s, 25e9);
  EXPECT_EQ(rings_of("v100-dgx1", {0, 5}).kind, RingPath::across_sockets);
}

TEST(RingSearch, AGpuPassesDataOnWhereOneLinkIsMissing) {
  const NodeRings rings = rings_of("v100-dgx1", {0, 1, 5});  // 0-1 and 1-5 are linked, 0-5 is not
  EXPECT_EQ(rings.kind, RingPath::nvlink);
  EXPECT_EQ(rings.channels, 1);
  EXPECT_EQ(rings.slowest_pair, (std::pair{5, 0}));
  EXPECT_GE(rings.chain_bytes_per_s, 50e9);  // a chain needs no way back
}

TEST(RingSearch, ACubeMeshOfP100sHasFourRings) {
  EXPECT_DOUBLE_EQ(find_rings(wiring("p100-dgx1"), 8).ring_bytes_per_s, 80e9);
  EXPECT_DOUBLE_EQ(find_rings(wiring("p100-dgx1"), 2).ring_bytes_per_s, 20e9);
}

TEST(RingSearch, AnNvswitchGivesEachGpuAllItsLinks) {
  EXPECT_DOUBLE_EQ(find_rings(wiring("v100-dgx2"), 16).ring_bytes_per_s, 150e9);
  EXPECT_DOUBLE_EQ(find_rings(wiring("a100-dgx"), 8).ring_bytes_per_s, 300e9);
  EXPECT_DOUBLE_EQ(rings_of("a100-p4", {1, 6}).ring_bytes_per_s, 300e9);
  EXPECT_DOUBLE_EQ(find_rings(wiring("b200"), 8).ring_bytes_per_s, 900e9);
}

TEST(RingSearch, OnlySwitchesFromHopperOnAddUp) {
  EXPECT_FALSE(find_rings(wiring("a100-dgx"), 8).nvls);
  EXPECT_TRUE(find_rings(wiring("h100-dgx"), 8).nvls);
}

TEST(RingSearch, K80sUnderSwitchesReachEachOther) {
  const NodeRings eight = find_rings(wiring("k80-p2-8xlarge"), 8);
  EXPECT_EQ(eight.kind, RingPath::pcie_peer);
  EXPECT_TRUE(eight.peer_to_peer);
  EXPECT_DOUBLE_EQ(eight.ring_bytes_per_s, 12.5e9);
}

TEST(RingSearch, SixteenK80sCrossTheSockets) {
  const NodeRings sixteen = find_rings(wiring("k80-p2-16xlarge"), 16);
  EXPECT_EQ(sixteen.kind, RingPath::across_sockets);
  EXPECT_FALSE(sixteen.peer_to_peer);
  ASSERT_TRUE(sixteen.slowest_pair);
  EXPECT_NE(sixteen.slowest_pair->first < 8, sixteen.slowest_pair->second < 8);
  EXPECT_EQ(find_rings(wiring("k80-p2-16xlarge"), 8).kind, RingPath::pcie_peer);
}

TEST(RingSearch, WithoutPeerAccessTransfersShareTheUplink) {
  const NodeRings boards = find_rings(wiring("m60-azure"), 4);
  EXPECT_EQ(boards.kind, RingPath::host_memory);
  EXPECT_DOUBLE_EQ(boards.ring_bytes_per_s, 6.25e9);  // two GPUs of a board, each sends and receives
  EXPECT_NE(boards.why.find("2 transfers share it"), std::string::npos) << boards.why;
  EXPECT_DOUBLE_EQ(rings_of("m60-azure", {0, 1}).ring_bytes_per_s, 12.5e9);
  EXPECT_DOUBLE_EQ(rings_of("m60-azure", {0, 2}).ring_bytes_per_s, 6.25e9);
}

TEST(RingSearch, FourTurnsOfPcieTreesWithoutPeerAccessAreTheSlowest) {
  EXPECT_DOUBLE_EQ(find_rings(wiring("pcie3-two-trees-no-peers"), 8).ring_bytes_per_s, 12.5e9 / 4);
  EXPECT_DOUBLE_EQ(find_rings(wiring("pcie3-two-trees"), 8).ring_bytes_per_s, 12.5e9);
}

TEST(RingSearch, Eight4090sGoThroughTheHostsMemory) {
  const NodeRings rings = find_rings(wiring("rtx-4090"), 8);
  EXPECT_EQ(rings.kind, RingPath::across_sockets);
  EXPECT_FALSE(rings.peer_to_peer);
  EXPECT_DOUBLE_EQ(rings.ring_bytes_per_s, 25e9);
  EXPECT_FALSE(rings.slowest_pair);  // all pairs are alike
}

// 208 GB/s were measured in a pair, 20 GB/s with a third GPU.
TEST(RingSearch, AThirdGpuOutsideABridgedPairCostsThePairsRate) {
  EXPECT_DOUBLE_EQ(rings_of("pcie4-bridged-pairs", {0, 1}).ring_bytes_per_s, 300e9);
  const NodeRings three = rings_of("pcie4-bridged-pairs", {0, 1, 2});
  EXPECT_DOUBLE_EQ(three.ring_bytes_per_s, 25e9);
  EXPECT_EQ(three.kind, RingPath::host_memory);
}

// NCCL's own graph for this machine has two rings in opposite directions.
TEST(RingSearch, BridgedPairsCarryTwoRingsInOppositeDirections) {
  const NodeRings rings = find_rings(wiring("a100-pcie-azure"), 4);
  EXPECT_EQ(rings.channels, 2);
  EXPECT_DOUBLE_EQ(rings.ring_bytes_per_s, 50e9);
}

TEST(RingSearch, NetworkCardsAreThoseOfTheGpusSockets) {
  EXPECT_EQ(find_rings(wiring("v100-dgx1"), 8).nic_bytes_per_s, 50e9);
  EXPECT_EQ(rings_of("v100-dgx1", {4, 5}).nic_bytes_per_s, 25e9);
  EXPECT_EQ(rings_of("a10g-g5-48xlarge", {0, 1}).nic_bytes_per_s, 12.5e9);  // across the sockets
  EXPECT_FALSE(find_rings(wiring("v100-aws"), 8).nic_bytes_per_s);          // not published
}

TEST(RingSearch, OneGpuHasNoRing) {
  const NodeRings rings = rings_of("v100-dgx1", {3});
  EXPECT_EQ(rings.channels, 0);
  EXPECT_EQ(rings.nic_bytes_per_s, 25e9);
}

TEST(RingSearch, GpusThatAreNotThereAreAnError) {
  EXPECT_THROW(rings_of("v100-dgx1", {0, 8}), Error);
  EXPECT_THROW(rings_of("v100-dgx1", {0, 0}), Error);
  EXPECT_THROW(rings_of("v100-dgx1", {}), Error);
  EXPECT_THROW(find_rings(wiring("v100-dgx1"), 9), Error);
}

// Without its bound the search would not end: a full mesh of 16 has more than 10^12 rings.
TEST(RingPacking, ALargeMeshIsSearchedWithinBounds) {
  LinkMesh mesh{16, std::vector<int>(256, 1)};
  for (std::size_t i = 0; i < 16; ++i) mesh.links[i * 17] = 0;
  mesh.links[1] = mesh.links[16] = 0;
  const RingPacking packing = pack_rings(mesh, RingShape::ring);
  EXPECT_GE(packing.count, 4);
  EXPECT_EQ(std::set<int>(packing.first.begin(), packing.first.end()).size(), 16u);
}

TEST(RingPacking, WithoutALinkThereIsNoRing) {
  EXPECT_EQ(pack_rings({2, {0, 0, 0, 0}}, RingShape::ring).count, 0);
  EXPECT_EQ(pack_rings({3, {0, 1, 0, 1, 0, 1, 0, 1, 0}}, RingShape::ring).count, 0);
  EXPECT_EQ(pack_rings({3, {0, 1, 0, 1, 0, 1, 0, 1, 0}}, RingShape::ring_relayed).count, 1);
  EXPECT_EQ(pack_rings({3, {0, 1, 0, 1, 0, 1, 0, 1, 0}}, RingShape::chain).count, 1);
}

}  // namespace
}  // namespace stash
