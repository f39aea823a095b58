#include "stash/launch/process/build_lock.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <string>

#include "stash/core/error.h"
#include "stash/launch/process/subprocess.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

TEST(BuildLock, GivesUpAfterItsDeadline) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "lock";
  int waits = 0;
  const BuildLock first(file, 0, {});
  EXPECT_THROW(BuildLock(file, 0.25, [&] { ++waits; }), Error);
  EXPECT_EQ(waits, 1);
}

TEST(BuildLock, IsHeldByAChildThatOutlivesItsParent) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "lock";
  std::string sleeper;
  {
    const BuildLock first(file, 0, {});
    sleeper =
        run_command({.arguments = {"sh", "-c", "sleep 60 >&- 2>&- & echo $!"}, .inherited_fds = {first.fd()}}).output;
  }
  EXPECT_THROW(BuildLock(file, 0, {}), Error);
  ::kill(std::atoi(sleeper.c_str()), SIGKILL);
  EXPECT_NO_THROW(BuildLock(file, 10, {}));
}

}  // namespace
}  // namespace stash
