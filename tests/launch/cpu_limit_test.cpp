#include "stash/launch/process/cpu_limit.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.h"

namespace stash {
namespace {

void write_text(const std::filesystem::path& file, const char* text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(CpuLimit, IsTheSmallestOfTheGroupsOnTheWayToTheRoot) {
  const TemporaryFolder root;
  write_text(root.path() / "proc/self/cgroup", "0::/user/job\n");
  write_text(root.path() / "sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  EXPECT_FALSE(cgroup_cores(root.path()));
  write_text(root.path() / "sys/fs/cgroup/user/cpu.max", "150000 100000\n");
  EXPECT_EQ(cgroup_cores(root.path()), 1.5);
  write_text(root.path() / "sys/fs/cgroup/user/job/cpu.max", "800000 100000\n");
  EXPECT_EQ(cgroup_cores(root.path()), 1.5);
}

TEST(CpuLimit, KnowsTheFirstVersionToo) {
  const TemporaryFolder root;
  write_text(root.path() / "proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/docker/abc\n");
  write_text(root.path() / "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
  write_text(root.path() / "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(cgroup_cores(root.path()));
  write_text(root.path() / "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(cgroup_cores(root.path()), 4);
}

TEST(CpuLimit, IsNoneWhereNothingIsSet) {
  const TemporaryFolder root;
  EXPECT_FALSE(cgroup_cores(root.path()));
}

TEST(CpuLimit, LeavesAtLeastACore) { EXPECT_GE(usable_cores(), 1); }

}  // namespace
}  // namespace stash
