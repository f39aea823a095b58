#include "stash/launch/build_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "stash/core/error.h"
#include "stash/launch/subprocess.h"

namespace stash {
namespace {

TEST(BuildLock, GivesUpAfterItsDeadline) {
  const std::string file = testing::TempDir() + "stash-lock-" + std::to_string(::getpid());
  int waits = 0;
  const BuildLock first(file, 0, {});
  EXPECT_THROW(BuildLock(file, 0.25, [&] { ++waits; }), Error);
  EXPECT_EQ(waits, 1);
  std::filesystem::remove(file);
}

TEST(BuildLock, IsHeldByAChildThatOutlivesItsParent) {
  const std::string file = testing::TempDir() + "stash-lock-" + std::to_string(::getpid());
  std::string sleeper;
  {
    const BuildLock first(file, 0, {});
    sleeper =
        run_command({.arguments = {"sh", "-c", "sleep 60 >&- 2>&- & echo $!"}, .inherited_fds = {first.fd()}}).output;
  }
  EXPECT_THROW(BuildLock(file, 0, {}), Error);
  ::kill(std::atoi(sleeper.c_str()), SIGKILL);
  EXPECT_NO_THROW(BuildLock(file, 10, {}));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace stash
