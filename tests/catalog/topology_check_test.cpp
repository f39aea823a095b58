#include "stash/catalog/topology/topology_check.h"

#include <gtest/gtest.h>

#include "catalog/smi_texts.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/topology/smi_topology.h"

namespace stash {
namespace {

TopologyFindings findings_of(const std::string& text, std::string_view type = "") {
  const Instance* instance = type.empty() ? nullptr : &find_instance(type);
  return examine({.matrix = parse_smi_matrix(text, "topo.txt"),
                  .gpu = instance ? known_gpu(*instance) : nullptr,
                  .type = instance,
                  .slots = {}});
}

TEST(TopologyCheck, ACubeMeshIsWhatItsTypeShouldBe) {
  const TopologyFindings found = findings_of(kCubeMeshText, "p3.16xlarge");
  EXPECT_EQ(found.faults, std::vector<std::string>{});
  EXPECT_TRUE(found.type_is_published);
  EXPECT_DOUBLE_EQ(found.rings.ring_bytes_per_s, 150e9);
  ASSERT_TRUE(found.slowest_pair);
  EXPECT_EQ(found.slowest_pair->connection.relation, SmiRelation::sys);
}

TEST(TopologyCheck, AMissingNvlinkIsNamedWithWhatItCosts) {
  const TopologyFindings found = findings_of(with_connection(kCubeMeshText, 2, 3, "SYS"), "p3.16xlarge");
  EXPECT_EQ(found.faults,
            (std::vector<std::string>{"GPU 2 and GPU 3 have no NVLinks between them (nvidia-smi topo -m: SYS); a "
                                      "p3.16xlarge has 2 there.",
                                      "NCCL's rings carry 100 GB/s at best; on a p3.16xlarge they carry 150 GB/s."}));
}

TEST(TopologyCheck, AWeakNvlinkIsNamed) {
  const TopologyFindings found = findings_of(with_connection(kCubeMeshText, 0, 3, "NV1"), "dgx1-v100");
  ASSERT_FALSE(found.faults.empty());
  EXPECT_EQ(found.faults[0],
            "GPU 0 and GPU 3 have 1 NVLink between them (nvidia-smi topo -m: NV1); a dgx1-v100 has 2 there.");
}

TEST(TopologyCheck, GpusInAnotherOrderAreNoFault) {
  // GPUs 0 and 1 exchanged, and with them GPUs 4 and 5.
  std::string text = kCubeMeshText;
  for (const auto& [a, b, connection] : {std::tuple{0, 2, "NV2"},
                                         {1, 2, "NV1"},
                                         {0, 3, "NV1"},
                                         {1, 3, "NV2"},
                                         {4, 6, "NV2"},
                                         {5, 6, "NV1"},
                                         {4, 7, "NV1"},
                                         {5, 7, "NV2"}}) {
    text = with_connection(text, a, b, connection);
  }
  EXPECT_EQ(findings_of(text, "p3.16xlarge").faults, std::vector<std::string>{});
}

TEST(TopologyCheck, AGpuWithFewerLinksToTheSwitchIsNamed) {
  EXPECT_EQ(findings_of(all_alike_text(8, "NV12"), "dgxa100-80").faults, std::vector<std::string>{});
  std::string text = all_alike_text(8, "NV12");
  for (int other = 0; other < 8; ++other) {
    if (other != 5) text = with_connection(text, 5, other, "NV6");
  }
  const TopologyFindings found = findings_of(text, "dgxa100-80");
  ASSERT_FALSE(found.faults.empty());
  EXPECT_EQ(found.faults[0], "GPU 5 reaches the other GPUs over 6 NVLinks; each GPU of a dgxa100-80 has 12.");
}

TEST(TopologyCheck, AMissingGpuIsNamed) {
  const TopologyFindings found = findings_of(all_alike_text(7, "NV18"), "p5.48xlarge");
  EXPECT_EQ(
      found.faults,
      (std::vector<std::string>{"The machine shows 7 GPUs; a p5.48xlarge has 8, unless a container hides some."}));
}

TEST(TopologyCheck, AnUnpublishedWiringIsNotCompared) {
  const TopologyFindings found = findings_of(all_alike_text(8, "PHB"), "g4dn.metal");
  EXPECT_FALSE(found.type_is_published);
  EXPECT_EQ(found.faults, std::vector<std::string>{});
}

TEST(TopologyCheck, ANarrowSlotIsNamed) {
  const TopologyFindings found = examine({.matrix = parse_smi_matrix(all_alike_text(2, "PHB"), "topo.txt"),
                                          .gpu = nullptr,
                                          .type = nullptr,
                                          .slots = {{"0000:3b:00.0", 8, 16}, {"0000:5e:00.0", 16, 16}}});
  EXPECT_EQ(found.faults, (std::vector<std::string>{"The GPU at PCIe address 0000:3b:00.0 uses 8 of its 16 lanes."}));
}

TEST(TopologyCheck, ManyFaultsOfAKindAreBounded) {
  const TopologyFindings found = findings_of(all_alike_text(8, "SYS"), "p3.16xlarge");
  EXPECT_EQ(found.faults.size(), 10u);
  EXPECT_EQ(found.faults[8], "There are 8 more like these.");
}

TEST(SmiTopology, ManyLinksToAllAreASwitch) {
  EXPECT_DOUBLE_EQ(findings_of(all_alike_text(16, "NV6"), "dgx2-v100").rings.ring_bytes_per_s, 150e9);
  const TopologyFindings dgx = findings_of(all_alike_text(8, "NV12"), "dgxa100-80");
  EXPECT_EQ(dgx.rings.kind, RingPath::nvswitch);
  EXPECT_FALSE(dgx.rings.nvls);
  EXPECT_TRUE(findings_of(all_alike_text(8, "NV18"), "dgxh100").rings.nvls);
}

// Dell C4140: two links between any two of four V100s, six in all, and no switch.
TEST(SmiTopology, FewLinksToAllAreAMesh) {
  const TopologyFindings found = findings_of(all_alike_text(4, "NV2"), "p3.8xlarge");
  EXPECT_EQ(found.rings.kind, RingPath::nvlink);
  EXPECT_DOUBLE_EQ(found.rings.ring_bytes_per_s, 150e9);
}

TEST(SmiTopology, TreesOfSwitchesAreTheOnesOfTheCatalogue) {
  const NodeRings found = findings_of(kTwoTreesText, "8x-1080ti").rings;
  const Topology& published = *topology_of(find_instance("8x-1080ti"));
  EXPECT_DOUBLE_EQ(found.ring_bytes_per_s, find_rings(published, 8).ring_bytes_per_s);
  EXPECT_EQ(found.kind, RingPath::across_sockets);
  const NodeRings no_peers = findings_of(kTwoTreesText, "8x-2080ti").rings;
  EXPECT_DOUBLE_EQ(no_peers.ring_bytes_per_s, 12.5e9 / 4);
}

// 118 rings of 2,950 GB/s were found between the GPUs, as if each had its links to every other.
TEST(SmiTopology, AGpuThatLostALinkToTheSwitchLeavesItASwitch) {
  std::string text = all_alike_text(8, "NV18");
  for (int other = 0; other < 8; ++other) {
    if (other != 3) text = with_connection(text, 3, other, "NV17");
  }
  const TopologyFindings found = findings_of(text, "p5.48xlarge");
  EXPECT_EQ(found.rings.kind, RingPath::nvswitch);
  EXPECT_DOUBLE_EQ(found.rings.ring_bytes_per_s, 17 * 25e9);
  ASSERT_EQ(found.faults.size(), 2U);
  EXPECT_EQ(found.faults[0], "GPU 3 reaches the other GPUs over 17 NVLinks; each GPU of a p5.48xlarge has 18.");
  EXPECT_EQ(found.faults[1], "NCCL's rings carry 425 GB/s at best; on a p5.48xlarge they carry 450 GB/s.");
}

TEST(SmiTopology, Eight4090sShareNothing) {
  const TopologyFindings found = findings_of(all_alike_text(8, "SYS"), "8x-4090");
  EXPECT_FALSE(found.slowest_pair);
  EXPECT_FALSE(found.rings.peer_to_peer);
  EXPECT_DOUBLE_EQ(found.rings.ring_bytes_per_s, 25e9);
}

TEST(SmiTopology, TheSameCoresMeanTheSameSocket) {
  const Topology topology = topology_of_matrix(parse_smi_matrix(kCubeMeshText, "topo.txt"), nullptr);
  EXPECT_EQ(topology.gpus[0].place, topology.gpus[3].place);
  EXPECT_NE(topology.gpus[0].place, topology.gpus[4].place);
}

}  // namespace
}  // namespace stash
