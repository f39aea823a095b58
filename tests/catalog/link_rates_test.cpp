#include "stash/catalog/link_rates.h"

#include <gtest/gtest.h>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

constexpr std::string_view kRatesHeader =
    "transport,machine,reached_ratio,call_s,hop_s,ramp_ratio,overlap_ratio,contention_ratio,wait_ratio,"
    "wait_doubling_ratio,spread,rows,source\n";

std::string text_with(std::string_view row) { return std::string(kRatesHeader) + std::string(row) + "\n"; }

TEST(LinkRates, EveryTransportHasItsFit) {
  for (int i = 0; i <= static_cast<int>(Transport::tcp); ++i) {
    const auto transport = static_cast<Transport>(i);
    const LinkRateRow& row = link_rates(transport);
    EXPECT_EQ(row.transport, transport);
    EXPECT_TRUE(row.machine.empty());
    EXPECT_GT(row.rates.reached_ratio, 0) << to_string(transport);
    EXPECT_GT(row.rates.spread, 0) << to_string(transport);
    EXPECT_GT(row.rows, 0) << to_string(transport);
  }
}

TEST(LinkRates, MachinesInTheTableAreInTheCatalogue) {
  for (const LinkRateRow& row : link_rate_table()) {
    if (row.machine.empty()) continue;
    EXPECT_NE(find_instance_or_null(instance_table(), row.machine), nullptr) << row.machine;
  }
}

TEST(LinkRates, WhatWasPublishedForAMachineComesFirst) {
  EXPECT_EQ(link_rates(Transport::ena, "G4DN.12xlarge").machine, "g4dn.12xlarge");
  EXPECT_EQ(link_rates(Transport::ena, "g4dn.metal").machine, "");
}

TEST(LinkRates, MorePeersWaitLonger) {
  const LinkRates rates{.wait_ratio = 0.02, .wait_doubling_ratio = 0.01};
  EXPECT_EQ(rates.waits_ratio(1), 0);
  EXPECT_DOUBLE_EQ(rates.waits_ratio(2), 0.02);
  EXPECT_DOUBLE_EQ(rates.waits_ratio(16), 0.05);
}

TEST(LinkRates, ABrokenRowIsNamed) {
  const auto message = [](std::string_view row) {
    return message_of<Error>([&] { parse_link_rates(text_with(row), "rates.csv"); });
  };
  EXPECT_EQ(message("carrier pigeon,,1,0,0,0,0,0,0,0,0,1,x"), "rates.csv line 2: transport is 'carrier pigeon'");
  EXPECT_NE(message("tcp,,nan,0,0,0,0,0,0,0,0,1,x").find("line 2: reached_ratio is 'nan'"), std::string::npos);
  EXPECT_NE(message("tcp,,0,0,0,0,0,0,0,0,0,1,x").find("reached_ratio must be above 0"), std::string::npos);
  EXPECT_NE(message("tcp,,1,-1,0,0,0,0,0,0,0,1,x").find("call_s is '-1'"), std::string::npos);
  EXPECT_THROW(parse_link_rates("transport,machine\n", "rates.csv"), Error);
}

TEST(LinkRates, TheKindOfNetworkFollowsFromTheMachine) {
  EXPECT_EQ(network_transport(find_instance("p2.8xlarge")), Transport::ena);
  EXPECT_EQ(network_transport(find_instance("p3dn.24xlarge")), Transport::efa_host);
  EXPECT_EQ(network_transport(find_instance("p5.4xlarge")), Transport::efa);
  EXPECT_EQ(network_transport(find_instance("p4d.24xlarge")), Transport::efa);
  EXPECT_EQ(network_transport(find_instance("Standard_ND96asr_v4")), Transport::infiniband);
  EXPECT_EQ(network_transport(find_instance("dgxa100-40")), Transport::infiniband);
  EXPECT_EQ(network_transport(find_instance("g2-standard-96")), Transport::tcp);
}

}  // namespace
}  // namespace stash
