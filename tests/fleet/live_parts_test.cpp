#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "stash/fleet/export/yaml_text.h"
#include "stash/fleet/live/cluster/cluster_command.h"
#include "stash/fleet/live/cluster/kubernetes_provider.h"
#include "stash/fleet/live/cluster/skypilot_provider.h"
#include "stash/fleet/live/fleet_providers.h"
#include "stash/fleet/live/local/process_identity.h"
#include "stash/fleet/live/local/proxy_config.h"
#include "stash/fleet/live/local/proxy_socket.h"
#include "stash/fleet/live/local/request_log.h"
#include "stash/fleet/live/metrics_load.h"
#include "stash/fleet/live/metrics_text_reader.h"
#include "stash/fleet/market/market_file.h"
#include "support/eventually.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

Market t4_market() {
  Market market{.model = "resnet50", .machines = {}, .functions = {}};
  market.machines.push_back({.name = "g4dn.xlarge",
                             .usd_per_hour = 0.526,
                             .spot_usd_per_hour = 0.2,
                             .start = {},
                             .times = BatchTimes({{1, 0.01}, {8, 0.04}})});
  return market;
}

TEST(RequestLog, WhatTheProxyTellsIsCountedByWhatBecameOfIt) {
  const auto end = [](std::string_view line) { return read_told_request(line, 0.2)->end; };
  EXPECT_EQ(end("1795119838969 150 200 ----"), RequestEnd::served);
  EXPECT_EQ(end("1795119838969 201 200 ----"), RequestEnd::late);
  EXPECT_EQ(end("1795119838969 1 503 SC--"), RequestEnd::refused);
  EXPECT_EQ(end("1795119838969 5 502 SH--"), RequestEnd::failed);
  EXPECT_EQ(end("1795119838969 300 200 CD--"), RequestEnd::failed);
  EXPECT_NEAR(read_told_request("1795119838969 150 200 ----", 0.2)->latency_s, 0.15, 1e-9);
  for (const std::string_view line : {"", "x", "1795119838969 20", "1795119838969 2 400 ----", "1 2 404 ----",
                                      "1795119838969 10 200 CD--", "1795119838969 -1 200 ----"}) {
    EXPECT_FALSE(read_told_request(line, 0.2)) << line;
  }
}

TEST(RequestLog, MessagesMayComeInPieces) {
  std::string bytes = "5 hello3 yo";
  std::vector<std::string> got;
  const auto keep = [&](std::string_view one) { got.emplace_back(one); };
  EXPECT_TRUE(take_messages(bytes, keep));
  EXPECT_EQ(bytes, "3 yo");
  bytes += "u12";
  EXPECT_TRUE(take_messages(bytes, keep));
  EXPECT_EQ(got, (std::vector<std::string>{"hello", "you"}));
  EXPECT_EQ(bytes, "12");
  for (std::string noise : {"GET / HTTP", "99999999 x", "5x"}) EXPECT_FALSE(take_messages(noise, keep)) << noise;
}

TEST(ProxySocket, ServersAreReadByTheNamesOfTheColumns) {
  const auto servers = read_proxy_servers(
      "# pxname,svname,qcur,scur,status,weight,\nrequests,FRONTEND,,3,OPEN,,\nfleet,a-1.0,2,3,UP 1/2,100,\n"
      "fleet,BACKEND,0,3,UP,100,\n");
  ASSERT_EQ(servers.size(), 1u);
  EXPECT_TRUE(servers.at("a-1.0").is_up());
  EXPECT_EQ(servers.at("a-1.0").sessions, 3);
  EXPECT_EQ(servers.at("a-1.0").queued, 2);
  EXPECT_THROW(read_proxy_servers("Unknown command"), Error);
  EXPECT_THROW(read_proxy_servers("# pxname,svname\n"), Error);
}

TEST(ProxyConfig, ListensOnThisMachineOnly) {
  const std::string text = proxy_config_text({.port = 8000, .servers = {{"a-1.0", 4000, 7}}});
  EXPECT_NE(text.find("bind 127.0.0.1:8000\n"), std::string::npos);
  EXPECT_NE(text.find("server a-1.0 127.0.0.1:4000 weight 7 check"), std::string::npos);
  EXPECT_EQ(text.find("0.0.0.0"), std::string::npos);
  EXPECT_EQ(text.find("*:"), std::string::npos);
}

TEST(ProcessIdentity, AProcessIsToldFromALaterOneWithItsNumber) {
  const ProcessIdentity own = own_identity();
  EXPECT_TRUE(is_alive(own));
  EXPECT_EQ(identity_of(own.pid), own);  // nothing in it changes with time
  EXPECT_FALSE(is_alive({own.pid, own.start_ticks + 1}));
  EXPECT_FALSE(is_alive({}));
  signal_process({own.pid, own.start_ticks + 1}, SIGKILL);  // reaches nobody
}

TEST(ProcessIdentity, ADetachedProcessHasASessionOfItsOwnAndEnds) {
  const TemporaryFolder folder;
  const ProcessIdentity one = start_detached({"sleep", "60"}, folder.path() / "log");
  EXPECT_EQ(getsid(one.pid), one.pid);
  EXPECT_TRUE(is_alive(one));
  signal_process(one, SIGTERM);
  EXPECT_TRUE(eventually([&] {
    reap({one});
    return !is_alive(one);
  }));
  EXPECT_THROW(start_detached({"/nowhere/program"}, folder.path() / "log"), Error);
}

TEST(MetricsText, SumsTheSeriesOfANameAndOfNoOther) {
  const std::string_view text = "# HELP a x\na{m=\"1\"} 2\na{m=\"2\",le=\"0.2\"} 3.5\na_total 100\nab 7\n";
  EXPECT_EQ(sum_of_metric(text, "a"), 5.5);
  EXPECT_EQ(sum_of_metric(text, "a", "le=\"0.2\""), 3.5);
  EXPECT_FALSE(sum_of_metric(text, "b"));
  EXPECT_THROW(sum_of_metric("a nan\n", "a"), Error);
  EXPECT_THROW(sum_of_metric("a x\n", "a"), Error);
}

TEST(MetricsLoad, AServerThatStartsAgainCountsFromZero) {
  MetricsLoad load(0.2);
  LoadBook book;
  const auto word = [](int answered, int refused) {
    return fmt::format(
        "stash_requests_answered_total{{model=\"m\"}} {}\nstash_requests_refused_total{{model=\"m\"}} {}\n"
        "stash_request_seconds_bucket{{model=\"m\",le=\"0.2\"}} {}\n",
        answered, refused, answered / 2);
  };
  load.add("a", word(100, 10), book, 5);
  EXPECT_EQ(book.totals().all(), 0);  // it is not known since when
  load.add("a", word(120, 15), book, 10);
  EXPECT_EQ(book.totals(), (LoadCounts{.served = 10, .late = 10, .refused = 5, .failed = 0}));
  load.add("a", word(4, 0), book, 15);
  EXPECT_EQ(book.totals().all(), 29);
  EXPECT_THROW(load.add("a", "nothing", book, 20), Error);
}

TEST(KubernetesProvider, DeploymentsAreReadAndNonsenseIsRefused) {
  const Market market = t4_market();
  const auto listed = [](const std::string& replicas, const std::string& ready) {
    return R"({"items": [{"metadata": {"name": "d", "labels": {"stash-fleet/machine": "g4dn.xlarge",
      "stash-fleet/spot": "true"}}, "spec": {"replicas": )" +
           replicas + R"(}, "status": {"readyReplicas": )" + ready +
           R"(}}, {"metadata": {"name": "other", "labels": {"stash-fleet/machine": "p3"}}}]})";
  };
  const auto found = read_deployments(listed("3", "2"), market);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].replicas, 3);
  EXPECT_EQ(found[0].ready, 2);
  EXPECT_TRUE(found[0].spot);
  for (const char* const nonsense : {"-1", "1.5", "\"3\"", "99999999"}) {
    EXPECT_THROW(read_deployments(listed(nonsense, "0"), market), Error) << nonsense;
  }
  EXPECT_THROW(read_deployments("[]", market), Error);
  EXPECT_THROW(read_deployments("Unable to connect", market), Error);
}

TEST(SkypilotProvider, TheTableOfServicesIsReadByItsHeader) {
  const auto found = read_sky_services(
      "Services\n"
      "NAME                        VERSION  UPTIME  STATUS      REPLICAS  ENDPOINT\n"
      "stash-resnet50-g4dn-xlarge  1        2m 3s   READY       1/2       3.84.15.251:30001\n"
      "other                       3        -       NO_REPLICA  0/1       -\n"
      "\nService Replicas\nSERVICE_NAME ID\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].ready, 1);
  EXPECT_EQ(found[0].replicas, 2);
  EXPECT_EQ(found[0].endpoint, "3.84.15.251:30001");
  EXPECT_EQ(found[1].endpoint, "");
  EXPECT_TRUE(read_sky_services("Services\nNo existing services.\n").empty());
  EXPECT_THROW(read_sky_services("Traceback"), Error);
  EXPECT_THROW(read_sky_services("NAME STATUS REPLICAS ENDPOINT\na    READY  x/2      -\n"), Error);
}

TEST(ClusterName, IsWhatClustersTake) {
  EXPECT_EQ(cluster_name("resnet50", "g4dn.xlarge", true), "stash-resnet50-g4dn-xlarge-spot");
  EXPECT_LE(cluster_name(std::string(80, 'a'), "b", true).size(), 50u);
  EXPECT_EQ(label_value("a b/c"), "a_b_c");
}

TEST(FleetProviders, AnUnknownOneIsNamed) {
  const std::string message = message_of<UsageError>([] { make_fleet_provider("kubernets", ProviderSetup{}); });
  EXPECT_NE(message.find("kubernetes"), std::string::npos);
}

TEST(YamlText, StringsThatCouldBeSomethingElseAreQuoted) {
  const nlohmann::json json{{"a", {{"b", {1, "2", "yes", "plain", nullptr, true}}}}, {"e", nlohmann::json::array()}};
  EXPECT_EQ(yaml_text(json),
            "a:\n  b:\n    - 1\n    - \"2\"\n    - \"yes\"\n    - plain\n    - null\n    - true\ne: []\n");
}

TEST(MarketFile, RoundTripsAndNamesWhatIsWrong) {
  const Market market = t4_market();
  const Market again = market_from_text(market_text(market), "m.json");
  EXPECT_EQ(market_text(again), market_text(market));
  EXPECT_EQ(again.machines[0].times.at(8), 0.04);
  const auto fault = [](const std::string& text) { return message_of([&] { market_from_text(text, "m.json"); }); };
  const std::string head = R"({"model": "m", "machines": [{"name": "a", "times": [{"batch": 1, "s": 0.1}])";
  EXPECT_NE(fault(head + "}]}").find("usd_per_hour is missing"), std::string::npos);
  EXPECT_NE(fault(head + R"(, "usd_per_hour": 0}]})").find("needs a price above 0"), std::string::npos);
  EXPECT_NE(fault(head + R"(, "usd_per_hour": -1}]})").find("usd_per_hour"), std::string::npos);
  EXPECT_NE(fault(R"({"model": "m", "machines": []})").find("has no machines"), std::string::npos);
}

}  // namespace
}  // namespace stash
