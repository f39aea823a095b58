#include "stash/cli/flags/measured_flag.h"

#include <gtest/gtest.h>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"

namespace stash {
namespace {

MeasuredStep parse(std::string_view text) { return parse_measured_step(text, instance_table()); }

}  // namespace

TEST(MeasuredFlag, WithoutANumberItIsOneGpu) {
  const MeasuredStep measured = parse("p3.16xlarge=210ms");
  EXPECT_EQ(measured.instance.name, "p3.16xlarge");
  EXPECT_EQ(measured.nodes, 1);
  EXPECT_EQ(measured.gpus_per_node, 1);
  EXPECT_DOUBLE_EQ(measured.step_s, 0.21);
}

TEST(MeasuredFlag, MoreGpusThanAMachineHasAreSeveralMachines) {
  const MeasuredStep some = parse("p3.16xlarge:4=0.3s"), all = parse("p3.16xlarge:8=0.3s"),
                     two = parse("P3.16xlarge:16=1s");
  EXPECT_EQ(some.nodes * 100 + some.gpus_per_node, 104);
  EXPECT_EQ(all.nodes * 100 + all.gpus_per_node, 108);
  EXPECT_EQ(two.nodes * 100 + two.gpus_per_node, 208);
}

TEST(MeasuredFlag, WhatCannotBeIsRefused) {
  for (const char* text : {"", "p3.16xlarge", "p3.16xlarge=", "p3.16xlarge=fast", "p3.16xlarge:=1s", "p3.16xlarge:0=1s",
                           "p3.16xlarge:-8=1s", "p3.16xlarge:8x=1s", "p3.16xlarge:12=1s", "p3.16xlarge:99999999=1s",
                           "p3.16xlage:8=1s", "p3.16xlarge:8=0s"}) {
    EXPECT_THROW(parse(text), UsageError) << text;
  }
}

}  // namespace stash
