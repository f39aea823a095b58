#include "stash/catalog/instance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sample_instance.h"
#include "stash/catalog/instance_csv.h"
#include "stash/catalog/instance_json.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

using testing_support::sample_instance;

TEST(Instance, RoundTripsThroughJson) {
  const Instance instance = sample_instance();
  EXPECT_EQ(instance_from_json(to_json(instance)), instance);
  Instance bare;
  bare.cloud = "own";
  bare.name = "lab";
  EXPECT_EQ(instance_from_json(to_json(bare)), bare);
  EXPECT_TRUE(to_json(bare)["usd_per_hour"].is_null());
}

TEST(Instance, RoundTripsThroughCsv) {
  std::vector<Instance> rows{sample_instance(), sample_instance()};
  rows[1].name = "other";
  rows[1].links.reset();
  rows[1].source = "a, \"quoted\" one";
  const Catalogue read = parse_instances(instances_csv(rows), "x.csv");
  EXPECT_EQ(read.instances, rows);
  EXPECT_TRUE(read.warnings.empty());
}

TEST(Instance, AFigureThatIsNotAboveZeroIsNamed) {
  for (const double bad : {0.0, -1.0, 1e300}) {
    Instance instance = sample_instance();
    instance.usd_per_h = bad;
    EXPECT_EQ(message_of([&] { check_instance(instance); }).find("usd_per_hour is "), 0u) << bad;
  }
  Instance instance = sample_instance();
  instance.memory_bytes = -4;
  EXPECT_EQ(message_of([&] { check_instance(instance); }).find("memory_bytes is -4"), 0u);
}

TEST(Instance, AMachineWithAGpuHasAtLeastOne) {
  Instance instance = sample_instance();
  instance.gpus = 0;
  EXPECT_EQ(message_of([&] { check_instance(instance); }).find("gpus is 0"), 0u);
  instance.gpu.clear();
  EXPECT_NO_THROW(check_instance(instance));
  instance.gpus = 2;
  EXPECT_NE(message_of([&] { check_instance(instance); }), "");
}

TEST(Instance, AnUplinkNeedsToKnowWhoSharesIt) {
  Instance instance = sample_instance();
  instance.gpus_per_uplink.reset();
  EXPECT_NE(message_of([&] { check_instance(instance); }).find("gpus_per_uplink"), std::string::npos);
}

TEST(Instance, WhatANewerRowDoesNotKnowStays) {
  Instance known = sample_instance();
  Instance newer;
  newer.cloud = "aws";
  newer.name = known.name;
  newer.gpu = known.gpu;
  newer.gpus = known.gpus;
  newer.usd_per_h = 1.5;
  newer.price_date = newer.date = "2027-01-01";
  newer.price_source = "somebody";
  overlay(known, newer);
  EXPECT_EQ(known.usd_per_h, 1.5);
  EXPECT_FALSE(known.spot_usd_per_h);  // the old one is not of the same day
  EXPECT_EQ(known.price_source, "somebody");
  EXPECT_EQ(known.network_bytes_per_s, sample_instance().network_bytes_per_s);
  EXPECT_EQ(known.network_source, sample_instance().network_source);
  EXPECT_EQ(known.links, GpuLinks::pcie);
  EXPECT_EQ(known.vcpus, sample_instance().vcpus);
}

TEST(Instance, AnotherGpuDoesNotKeepTheOldOnesMemory) {
  Instance known = sample_instance(), newer = sample_instance();
  newer.gpu = "T4";
  newer.gpu_memory_bytes.reset();
  overlay(known, newer);
  EXPECT_FALSE(known.gpu_memory_bytes);
}

TEST(Instance, LinksAreKnownWhereTheirRateIsOrWhereThereAreNone) {
  Instance instance = sample_instance();
  EXPECT_TRUE(links_are_known(instance));
  instance.link_bytes_per_s.reset();
  EXPECT_FALSE(links_are_known(instance));
  instance.gpus = 1;
  EXPECT_TRUE(links_are_known(instance));
}

TEST(Instance, LinksAreKnownByName) {
  EXPECT_EQ(parse_gpu_links("nvswitch"), GpuLinks::nvswitch);
  EXPECT_EQ(to_string(GpuLinks::pcie), "pcie");
  EXPECT_NE(message_of([] { parse_gpu_links("nvlnk"); }).find("nvlink"), std::string::npos);
}

TEST(InstanceJson, ARowAtFaultIsNamedAndTheOthersAreUsed) {
  nlohmann::json document = nlohmann::json::parse(to_json_text(std::vector(4, sample_instance())));
  document["instances"][0]["usd_per_hour"] = -3;
  document["instances"][1]["links"] = "rope";
  document["instances"][2]["gpus"] = "many";
  const Catalogue read = instances_from_json_text(document.dump(), "x.json");
  EXPECT_EQ(read.instances.size(), 1u);
  ASSERT_EQ(read.warnings.size(), 3u);
  EXPECT_EQ(read.warnings[0].find("x.json row 1: 'k80.8' is left out: usd_per_hour is -3"), 0u) << read.warnings[0];
  EXPECT_NE(read.warnings[1].find("rope"), std::string::npos);
  EXPECT_NE(read.warnings[2].find("gpus must be a whole number"), std::string::npos) << read.warnings[2];
}

TEST(InstanceJson, PricesUnderTheirOlderNamesAreRead) {
  nlohmann::json json = to_json(sample_instance());
  for (const std::string name : {"usd_per_h", "spot_usd_per_h"}) {
    json[name] = json[name + "our"];
    json.erase(name + "our");
  }
  EXPECT_EQ(instance_from_json(json), sample_instance());
}

TEST(InstanceJson, WhatIsNoCatalogueIsRefused) {
  for (const char* text :
       {"", "[]", "{}", "{\"instances\": 3}", "{\"schema_version\": 2, \"instances\": []}", "{\"a\""}) {
    EXPECT_EQ(message_of([&] { instances_from_json_text(text, "x.json"); }).find("x.json"), 0u) << text;
  }
}

TEST(InstanceCsv, ARowAtFaultIsNamedAndTheOthersAreUsed) {
  const std::string header = "name,cloud,gpu,gpus,usd_per_h\n";
  const Catalogue read = parse_instances(
      header +
          "a,aws,V100,1,3\nb,aws,V100,,3\nc,aws,V100,1,0\nd,aws,V100,1,-2\ne,aws,V100,1,x\na,aws,V100,1,4\n,aws,,0,\n",
      "x.csv");
  ASSERT_EQ(read.instances.size(), 1u);
  EXPECT_EQ(read.instances[0].usd_per_h, 3);
  ASSERT_EQ(read.warnings.size(), 6u);
  EXPECT_EQ(read.warnings[0], "x.csv line 3: 'b' is left out: gpus is missing");
  EXPECT_EQ(read.warnings[1].find("x.csv line 4: 'c' is left out: usd_per_hour is 0"), 0u);
  EXPECT_NE(read.warnings[2].find("usd_per_hour is -2"), std::string::npos);
  EXPECT_NE(read.warnings[3].find("'x', which is not a number"), std::string::npos);
  EXPECT_NE(read.warnings[4].find("twice"), std::string::npos);
  EXPECT_NE(read.warnings[5].find("name is missing"), std::string::npos);
}

TEST(InstanceCsv, ManyFaultsAreNotAllTold) {
  std::string text = "name,cloud,gpu,gpus\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("n{},aws,T4,0\n", i);
  EXPECT_EQ(parse_instances(text, "x.csv").warnings.size(), 51u);
}

TEST(InstanceCsv, AColumnThatIsNotKnownGetsTheNearest) {
  const std::string message = message_of([] { parse_instances("name,usd_per_hours\na,1\n", "x.csv"); });
  EXPECT_NE(message.find("'usd_per_hour'"), std::string::npos) << message;
}

}  // namespace
}  // namespace stash
