#include "stash/core/job_device.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

TEST(JobDevice, KindsAreToldApart) {
  EXPECT_TRUE(JobDevice().is_cpu());
  EXPECT_TRUE(JobDevice("cuda").is_cuda());
  EXPECT_TRUE(JobDevice("cuda:1").is_cuda());
  EXPECT_TRUE(JobDevice("emulated:V100").is_emulated());
  for (const char* other : {"", "cudax", "CPU", "xpu", "emulated"}) {
    const JobDevice device(other);
    EXPECT_FALSE(device.is_cpu() || device.is_cuda() || device.is_emulated()) << other;
    EXPECT_EQ(device.text(), other);
  }
}

TEST(JobDevice, AnEmulatedOneNamesItsGpu) {
  EXPECT_EQ(JobDevice("emulated:v100").gpu(), "v100");
  EXPECT_EQ(JobDevice::emulated("A100").text(), "emulated:A100");
  EXPECT_EQ(JobDevice("cuda").gpu(), "");
}

}  // namespace
}  // namespace stash
