#include "stash/launch/rank_facts.h"

#include <gtest/gtest.h>

#include "../core/contains.h"

namespace stash {
namespace {

RankFacts facts(int rank, const char* host, int node, const char* device, const char* interface = "eth0") {
  return {.rank = rank, .host = host, .node = node, .device = device, .interface = interface, .clock_s = 4e-5};
}

std::string bad(const std::vector<RankFacts>& ranks) {
  std::string text;
  for (const Check& check : check_ranks(ranks)) {
    EXPECT_EQ(check.well, check.fix.empty()) << check.text;
    if (!check.well) text += check.text + "\n";
  }
  return text;
}

TEST(RankFacts, AClusterAsItShouldBe) {
  const std::vector<RankFacts> ranks{facts(0, "a", 0, "GPU-1"), facts(1, "a", 0, "GPU-2"), facts(2, "b", 1, "GPU-1"),
                                     facts(3, "b", 1, "GPU-2")};
  EXPECT_EQ(bad(ranks), "");
  EXPECT_CONTAINS(check_ranks(ranks)[0].text, "4 ranks on 2 nodes: a (ranks 0, 1), b (ranks 2, 3)");
}

TEST(RankFacts, RanksThatShareADeviceAreNamed) {
  EXPECT_CONTAINS(bad({facts(0, "a", 0, "GPU-1"), facts(1, "a", 0, "GPU-1")}),
                  "ranks 0, 1 on a share the device GPU-1");
  EXPECT_EQ(bad({facts(0, "a", 0, ""), facts(1, "a", 0, "")}), "") << "a CPU is there to be shared";
}

TEST(RankFacts, LoopbackDoesNotLeadToAnotherNode) {
  EXPECT_CONTAINS(bad({facts(0, "a", 0, "", "lo"), facts(1, "b", 1, "", "lo")}), "lo on a");
  EXPECT_EQ(bad({facts(0, "a", 0, "", "lo"), facts(1, "a", 0, "", "lo")}), "");
}

}  // namespace
}  // namespace stash
