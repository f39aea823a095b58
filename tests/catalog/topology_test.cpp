#include "stash/catalog/topology/topology.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "../core/mutate.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/topology/ring_search.h"
#include "stash/catalog/topology/topology_text.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

const std::string kPair =
    "# two GPUs\n"
    "source a page\n"
    "date 2026\n"
    "machines one two\n"
    "peers pcie_switch\n"
    "nvlink 25e9\n"
    "links 0-1x2\n"
    "between_sockets 20e9\n"
    "socket\n"
    "  switch 12.5e9\n"
    "    gpus 0-1 12.5e9\n"
    "    nics 2 25e9\n"
    "socket\n"
    "  bridge\n"
    "    gpus 2 25e9\n";

TEST(Topology, ATextIsReadWithItsPlaces) {
  const Topology read = parse_topology(kPair, "pair.topo");
  EXPECT_EQ(read.source, "a page");
  EXPECT_EQ(read.machines, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(read.peer_reach, PeerReach::pcie_switch);
  ASSERT_EQ(read.places.size(), 4u);
  EXPECT_EQ(read.places[1].above, 0);
  EXPECT_EQ(read.places[1].bytes_per_s, 12.5e9);
  EXPECT_EQ(read.places[3].kind, PciePlace::Kind::host_bridge);
  ASSERT_EQ(read.gpus.size(), 3u);
  EXPECT_EQ(socket_of(read, read.gpus[1].place), 0);
  EXPECT_EQ(socket_of(read, read.gpus[2].place), 2);
  EXPECT_EQ(read.network_cards.size(), 2u);
  EXPECT_EQ(nvlinks_between(read, 1, 0), 2);
  EXPECT_EQ(nvlinks_between(read, 1, 2), 0);
}

TEST(Topology, AFaultNamesItsLine) {
  const auto message = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return message_of([&] { parse_topology(text, "pair.topo"); });
  };
  EXPECT_EQ(message(kPair, "gpus 0-1 12.5e9", "gpus 0-1 fast"),
            "pair.topo line 11: 'fast' is not a number from 1 to 1e+15");
  EXPECT_EQ(message(kPair, "gpus 2 25e9", "gpus 1 25e9"), "pair.topo line 15: GPU 1 is there twice");
  EXPECT_EQ(message(kPair, "0-1x2", "0-1"), "pair.topo line 7: '0-1' is not like 0-3x2");
  EXPECT_EQ(message(kPair, "0-1x2", "0-9x2"), "pair.topo: GPU 9 has an NVLink, but no place");
  EXPECT_EQ(message(kPair, "gpus 2", "gpus 3"), "pair.topo: GPUs are not numbered from 0 without gaps");
  EXPECT_EQ(message(kPair, "nvlink 25e9\n", ""), "pair.topo: links and nvlink (the rate of one) need each other");
  EXPECT_EQ(message(kPair, "    nics", "      nics"), "pair.topo line 12: it is not two spaces inside its place");
  EXPECT_NE(message(kPair, "pcie_switch", "pcie_swich").find("'pcie_switch'"), std::string::npos);
  EXPECT_NE(message(kPair, "date", "dates").find("line 3: no key is called 'dates'"), std::string::npos);
}

TEST(Topology, DamagedTextsGiveATopologyOrAnErrorAndNothingElse) {
  const std::vector<std::string> tokens{"\n", " ",     "-1",  "0-99x18", "socket",
                                        "  ", "1e999", "nan", "links",   "99999999999"};
  std::mt19937 random(20261118);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    try {
      const Topology read = parse_topology(stash::mutate(kPair, random, tokens, 4, 20), "x");
      const NodeRings rings = find_rings(read, static_cast<int>(read.gpus.size()));
      EXPECT_EQ(rings.order.size(), read.gpus.size());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 4000);
}

TEST(Topologies, EachHasASourceADateAndMachinesOfTheCatalogue) {
  std::set<std::string> seen;
  for (const Topology& topology : topology_table()) {
    EXPECT_FALSE(topology.source.empty()) << topology.name;
    EXPECT_FALSE(topology.date.empty()) << topology.name;
    EXPECT_FALSE(topology.machines.empty()) << topology.name;
    for (const std::string& machine : topology.machines) {
      EXPECT_TRUE(seen.insert(machine).second) << machine << " is in two files";
      const Instance* instance = find_instance_or_null(instance_table(), machine);
      ASSERT_NE(instance, nullptr) << machine;
      EXPECT_LE(instance->gpus, static_cast<int>(topology.gpus.size())) << machine;
    }
  }
}

TEST(Topologies, MachinesOfTheStudyAndOwnedOnesAreWired) {
  for (const char* name : {"p2.8xlarge", "p2.16xlarge", "p3.8xlarge", "p3.16xlarge", "p4d.24xlarge", "p5.48xlarge",
                           "g5.12xlarge", "g5.48xlarge", "DGX1-V100", "dgxa100-80", "8x-4090"}) {
    EXPECT_NE(topology_of(find_instance(name)), nullptr) << name;
  }
  EXPECT_EQ(topology_of(find_instance("g4dn.metal")), nullptr);  // not published
}

// The row's figure is what one GPU sends; rings need not reach it, and never exceed it.
TEST(Topologies, RingsAreNotFasterThanTheLinksOfTheRow) {
  for (const Instance& instance : instance_table()) {
    const Topology* topology = topology_of(instance);
    if (topology == nullptr || !instance.link_bytes_per_s || instance.gpus < 2) continue;
    const NodeRings rings = find_rings(*topology, instance.gpus);
    EXPECT_GT(rings.ring_bytes_per_s, 0) << instance.name;
    if (instance.links != GpuLinks::pcie) {
      EXPECT_LE(rings.ring_bytes_per_s, *instance.link_bytes_per_s * 1.001) << instance.name;
    }
  }
}

}  // namespace
}  // namespace stash
