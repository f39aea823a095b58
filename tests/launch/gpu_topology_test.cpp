#include "stash/launch/gpu_topology.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

class GpuTopology : public testing::Test {
 protected:
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  void write(const fs::path& file, const std::string& text) {
    fs::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file) << text;
  }

  // A command of that name in front of all others.
  void fake_smi(const std::string& script) {
    write("bin/nvidia-smi", "#!/bin/sh\n" + script);
    fs::permissions(folder_.path() / "bin/nvidia-smi", fs::perms::owner_all);
    ::setenv("PATH", ((folder_.path() / "bin").string() + ":" + path_).c_str(), 1);
  }

  void device(const std::string& address, const std::string& vendor, const std::string& kind,
              const std::string& width) {
    write("pci/" + address + "/vendor", vendor + "\n");
    write("pci/" + address + "/class", kind + "\n");
    write("pci/" + address + "/current_link_width", width + "\n");
    write("pci/" + address + "/max_link_width", "16\n");
  }

  TemporaryFolder folder_;
  std::string path_ = std::getenv("PATH");
};

TEST_F(GpuTopology, TheCommandIsAskedForTheMatrix) {
  fake_smi("echo \"asked: $*\"\n");
  EXPECT_EQ(smi_topology_text(), "asked: topo -m\n");
}

TEST_F(GpuTopology, ACommandThatFailsSaysNothing) {
  fake_smi("echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver'; exit 9\n");
  EXPECT_EQ(smi_topology_text(), std::nullopt);
}

TEST_F(GpuTopology, WithoutTheCommandNothingIsKnown) {
  ::setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_EQ(smi_topology_text(), std::nullopt);
}

TEST_F(GpuTopology, LanesAreThoseOfNvidiasGpus) {
  device("0000:5e:00.0", "0x10de", "0x030200", "16");
  device("0000:3b:00.0", "0x10de", "0x030000", "8");
  device("0000:3b:00.1", "0x10de", "0x040300", "8");  // the sound of the card
  device("0000:18:00.0", "0x15b3", "0x020700", "16");
  device("0000:af:00.0", "0x10de", "0x030200", "255");  // not known
  const std::vector<PcieLanes> found = gpu_lanes(folder_.path() / "pci");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, "0000:3b:00.0");
  EXPECT_EQ(found[0].in_use, 8);
  EXPECT_EQ(found[0].most, 16);
  EXPECT_EQ(found[1].in_use, 16);
  EXPECT_TRUE(gpu_lanes(folder_.path() / "none").empty());
}

TEST_F(GpuTopology, TheMakersNameOfTheMachineIsRead) {
  write("product_name", "p4d.24xlarge\n");
  EXPECT_EQ(product_name(folder_.path() / "product_name"), "p4d.24xlarge");
  EXPECT_EQ(product_name(folder_.path() / "none"), std::nullopt);
}

}  // namespace
}  // namespace stash
