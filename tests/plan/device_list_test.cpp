#include "stash/plan/device_list.h"

#include <gtest/gtest.h>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"

namespace stash {
namespace {

std::vector<PlannedDevices> parsed(std::string_view text, std::optional<int> nodes = {}) {
  return parse_device_list(text, nodes, instance_table());
}

TEST(DeviceList, CountsMachinesOfTheCatalogueAndDevicesOfAPublication) {
  const std::vector<PlannedDevices> kinds = parsed("2xp4d.24xlarge+64xTPUv3");
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].nodes, 2);
  EXPECT_EQ(kinds[0].count(), 16);
  EXPECT_EQ(kinds[1].count(), 64);
  EXPECT_NE(kinds[1].published, nullptr);
  EXPECT_EQ(text_of(kinds), "2xp4d.24xlarge+64xTPUv3");
  EXPECT_EQ(parsed("p4d.24xlarge", 64).front().count(), 512);
}

TEST(DeviceList, GpusByNameAreInTheSmallestMachineThatHasThemAll) {
  EXPECT_EQ(parsed("4xv100").front().machine->name, "p3.8xlarge");
  EXPECT_EQ(parsed("3xV100").front().machine->name, "p3.8xlarge");
  EXPECT_EQ(parsed("3xV100").front().per_node, 3);
  const PlannedDevices many = parsed("64xV100").front();
  EXPECT_EQ(many.machine->name, "p3.16xlarge");
  EXPECT_EQ(many.nodes, 8);
}

TEST(DeviceList, WhatIsNoDeviceIsRefused) {
  for (const char* text : {"", "+", "4x", "x", "-1xV100", "1.5xV100", "4xV100,4xT4", "0xV100"}) {
    EXPECT_THROW(parsed(text), UsageError) << text;
  }
  EXPECT_THROW(parsed("2xp4d.24xlarge", 2), UsageError);
  EXPECT_THROW(parsed("p4d.24xlarge+p3.8xlarge", 2), UsageError);
}

}  // namespace
}  // namespace stash
