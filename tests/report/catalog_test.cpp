#include "stash/report/catalog.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stash/catalog/instances.h"

namespace stash {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CatalogReport, TheFirstLineSaysHowManyAndOfWhen) {
  const Catalogue catalogue{{find_instance("p3.2xlarge"), find_instance("p4d.24xlarge")}, {}};
  const std::string text = render_instances(catalogue, ListFormat::text);
  EXPECT_EQ(text.find("2 instances, prices of 2022 to 2026-08-22\n"), 0u) << text;
  EXPECT_TRUE(contains(text, "2.5, burst 10"));
  EXPECT_TRUE(contains(text, "8 x A100"));
}

TEST(CatalogReport, WhatIsUnknownIsADashAndNeverZero) {
  Instance bare;
  bare.cloud = "own";
  bare.name = "box";
  const std::string text = render_instance(bare, ListFormat::text);
  EXPECT_EQ(text.find("box (own): no GPU, – $/h\n"), 0u) << text;
  EXPECT_FALSE(contains(text, " 0"));
}

TEST(CatalogReport, EveryFigureOfAnInstanceHasItsSource) {
  const std::string text = render_instance(find_instance("p2.16xlarge"), ListFormat::text);
  EXPECT_TRUE(contains(text, "pcie, 12.5 GB/s a GPU, 2 GPUs share 12.5 GB/s"));
  EXPECT_TRUE(contains(text, "NVIDIA Tesla K80 board specification"));
  EXPECT_TRUE(
      contains(render_instance(find_instance("p3.2xlarge"), ListFormat::text), "2.5 Gbit/s, 10 Gbit/s in bursts"));
  EXPECT_TRUE(contains(text, "prices that the Stash study (ICDCS 2023) used, 2022"));
}

TEST(CatalogReport, AGpuWithoutRatesIsTold) {
  EXPECT_TRUE(contains(render_instance(find_instance("g7.2xlarge"), ListFormat::text), "nothing can be predicted"));
}

TEST(CatalogReport, JsonAndCsvHoldAllThatIsKnown) {
  const Catalogue catalogue{{find_instance("p3.8xlarge")}, {"a row was left out"}};
  const auto json = nlohmann::json::parse(render_instances(catalogue, ListFormat::json));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["instances"][0]["usd_per_h"], 12.24);
  EXPECT_TRUE(json["instances"][0]["spot_usd_per_h"].is_null());
  EXPECT_EQ(json["warnings"][0], "a row was left out");
  EXPECT_EQ(parse_instances(render_instances(catalogue, ListFormat::csv), "x.csv").instances, catalogue.instances);
  EXPECT_EQ(nlohmann::json::parse(render_instance(catalogue.instances[0], ListFormat::json))["name"], "p3.8xlarge");
}

TEST(CatalogReport, NamesOfOthersAreMadeSafe) {
  Instance hostile;
  hostile.cloud = "own";
  hostile.name = "box\x1b[31m";
  EXPECT_FALSE(contains(render_instance(hostile, ListFormat::text), "\x1b"));
  EXPECT_FALSE(contains(render_instances({{hostile}, {}}, ListFormat::text), "\x1b"));
}

}  // namespace
}  // namespace stash
