#include "stash/fleet/market/own_market.h"

#include <gtest/gtest.h>

#include "support/message_of.h"

namespace stash {
namespace {

TEST(OwnMarket, TomlHasTimesOrCapacities) {
  const Market market = own_market_from_toml(R"(
model = "ours"
[[machine]]
name = "big"
usd_per_hour = 1.5
spot_usd_per_hour = 0.5
interruptions_per_hour = 0.1
start = "90s"
start_p95 = "150s"
batches = [[1, "8ms"], [8, "30ms"]]
spread = 0.2
[[machine]]
name = "small"
usd_per_hour = 0.1
requests_per_min = 600
gpu = false
[[function]]
name = "burst"
usd_per_s = 5e-5
work = "150ms"
)",
                                             "ours.toml");
  ASSERT_EQ(market.machines.size(), 2U);
  EXPECT_EQ(market.model, "ours");
  EXPECT_DOUBLE_EQ(market.machines[0].times.at(8), 0.03);
  EXPECT_DOUBLE_EQ(market.machines[0].start.median_s(), 90);
  EXPECT_DOUBLE_EQ(*market.machines[0].spot_usd_per_hour, 0.5);
  EXPECT_DOUBLE_EQ(market.machines[1].times.at(1), 0.1);
  EXPECT_FALSE(market.machines[1].has_gpu);
  ASSERT_EQ(market.functions.size(), 1U);
  EXPECT_DOUBLE_EQ(market.functions[0].work_s, 0.15);
}

TEST(OwnMarket, FaultsAreNamedWithLineAndKey) {
  const auto said = [](std::string_view text) {
    return message_of<UsageError>([&] { own_market_from_toml(text, "m.toml"); });
  };
  EXPECT_EQ(said("[[machine]]\nname = \"a\"\nprice = 1\n"), "m.toml, line 3: 'price' is unknown");
  EXPECT_EQ(said("[[machine]]\nname = \"a\"\nusd_per_hor = 1\n"),
            "m.toml, line 3: 'usd_per_hor' is unknown; did you mean 'usd_per_hour'?");
  EXPECT_EQ(said("[[machine]]\nname = \"a\"\nrequests_per_min = 9\n"), "m.toml, line 1: 'usd_per_hour' is missing");
  EXPECT_EQ(said("[[machine]]\nname = \"a\"\nusd_per_hour = -1\nrequests_per_min = 9\n"),
            "m.toml, line 3: 'usd_per_hour' must be a number above 0");
  EXPECT_NE(said("[[machine]]\nname = \"a\"\nusd_per_hour = 1\nbatches = [[2, \"8ms\"]]\n").find("from a batch of 1"),
            std::string::npos);
  EXPECT_NE(said("[[machine]]\nname = \"a\"\nusd_per_hour = 1\n").find("needs one of 'batches'"), std::string::npos);
  EXPECT_NE(said("model = \"x\"\n").find("at least one [[machine]]"), std::string::npos);
  EXPECT_NE(said("[[machine]\n").find("m.toml, line 1"), std::string::npos);
}

TEST(OwnMarket, CsvHasARowForEachBatchOrOneCapacity) {
  const Market market =
      own_market_from_csv("machine,usd_per_hour,batch,latency_ms\na,1,1,8\na,1,8,30\nb,2,1,5\n", "m.csv");
  ASSERT_EQ(market.machines.size(), 2U);
  EXPECT_DOUBLE_EQ(market.machines[0].times.at(8), 0.03);
  const Market capacities = own_market_from_csv("machine,usd_per_hour,requests_per_min\na,1,600\n", "m.csv");
  EXPECT_DOUBLE_EQ(capacities.machines[0].times.at(1), 0.1);
  const auto said = [](std::string_view text) {
    return message_of<UsageError>([&] { own_market_from_csv(text, "m.csv"); });
  };
  EXPECT_EQ(said("machine,usd_per_hour,requests_per_min\na,,600\n"), "m.csv, line 2: 'usd_per_hour' is missing");
  EXPECT_EQ(said("machine,usd_per_hour,requests_per_min\na,x,600\n"),
            "m.csv, line 2: 'usd_per_hour' is 'x'; it takes a number of at least 0");
  EXPECT_EQ(said("machine,usd_per_hour,batch,latency_ms\na,1,8,30\n"),
            "m.csv, line 2: 'batch' must begin with 1 and rise from row to row of a machine");
  EXPECT_EQ(said("machine,usd_per_hour\na,1\n"),
            "m.csv, line 1: it needs either 'batch' and 'latency_ms' or 'requests_per_min'");
}

}  // namespace
}  // namespace stash
