#include "stash/report/catalog.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../core/contains.h"
#include "stash/catalog/instances.h"

namespace stash {
namespace {

TEST(CatalogReport, TheFirstLineSaysHowManyAndOfWhen) {
  const Catalogue catalogue{{find_instance("p3.2xlarge"), find_instance("p4d.24xlarge")}, {}};
  const std::string text = render_instances(catalogue, Format::text);
  EXPECT_EQ(text.find("2 instances, prices of 2022 to 2026-08-22\n"), 0u) << text;
  EXPECT_CONTAINS(text, "2.5, burst 10");
  EXPECT_CONTAINS(text, "8 x A100");
}

TEST(CatalogReport, WhatIsUnknownIsADashAndNeverZero) {
  Instance bare;
  bare.cloud = "own";
  bare.name = "box";
  const std::string text = render_instance(bare, Format::text);
  EXPECT_EQ(text.find("box (own): no GPU, – $/h\n"), 0u) << text;
  EXPECT_EQ(text.find(" 0"), std::string::npos);
}

TEST(CatalogReport, EveryFigureOfAnInstanceHasItsSource) {
  const std::string text = render_instance(find_instance("p2.16xlarge"), Format::text);
  EXPECT_CONTAINS(text, "pcie, 12.5 GB/s per GPU, 2 GPUs share 12.5 GB/s");
  EXPECT_CONTAINS(text, "NVIDIA Tesla K80 board specification");
  EXPECT_CONTAINS(render_instance(find_instance("p3.2xlarge"), Format::text), "2.5 Gbit/s, 10 Gbit/s in bursts");
  EXPECT_CONTAINS(text, "prices that the Stash study (ICDCS 2023) used, 2022");
}

TEST(CatalogReport, AGpuWithoutRatesIsTold) {
  EXPECT_CONTAINS(render_instance(find_instance("g7.2xlarge"), Format::text), "nothing can be predicted");
}

TEST(CatalogReport, JsonAndCsvHoldAllThatIsKnown) {
  const Catalogue catalogue{{find_instance("p3.8xlarge")}, {"a row was left out"}};
  const auto document = nlohmann::json::parse(render_instances(catalogue, Format::json));
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["instances"][0]["usd_per_hour"], 12.24);
  EXPECT_TRUE(document["instances"][0]["spot_usd_per_hour"].is_null());
  EXPECT_EQ(document["warnings"][0], "a row was left out");
  EXPECT_EQ(parse_instances(render_instances(catalogue, Format::csv), "x.csv").instances, catalogue.instances);
  EXPECT_EQ(nlohmann::json::parse(render_instance(catalogue.instances[0], Format::json))["name"], "p3.8xlarge");
}

TEST(CatalogReport, NamesOfOthersAreMadeSafe) {
  Instance hostile;
  hostile.cloud = "own";
  hostile.name = "box\x1b[31m";
  EXPECT_EQ(render_instance(hostile, Format::text).find('\x1b'), std::string::npos);
  EXPECT_EQ(render_instances({{hostile}, {}}, Format::text).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace stash
