#include "stash/launch/hang.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr std::int64_t kDeadline_ns = 1'000;
constexpr std::int64_t kNow_ns = 1'000'000;
constexpr std::int64_t kLongAgo_ns = kNow_ns - kDeadline_ns;

// Ranks that have shown no life for the deadline; the test's own process stands for each.
class HangTest : public testing::Test {
 protected:
  HangTest() : shared_(SharedState::open(-1, 3)) {
    for (int rank = 0; rank < 3; ++rank) set(rank, Phase::waiting, 10);
  }

  void set(int rank, Phase phase, std::int64_t step) {
    shared_.rank(rank).beat_ns = kLongAgo_ns;
    shared_.rank(rank).phase = phase;
    shared_.rank(rank).step = step;
  }
  std::optional<int> hung() {
    return find_hung_rank(shared_.states(), kNow_ns, kDeadline_ns, patience_,
                          [this](int rank) { return pids_[static_cast<std::size_t>(rank)]; });
  }

  SharedState shared_;
  double patience_ = 1;
  std::vector<pid_t> pids_ = std::vector<pid_t>(3, ::getpid());
};

TEST_F(HangTest, NobodyIsToBlameWhileOneShowsLife) {
  shared_.rank(2).beat_ns = kLongAgo_ns + 1;
  EXPECT_EQ(hung(), std::nullopt);
}

TEST_F(HangTest, TheRankInItsOwnWorkIsToBlameBeforeOnesThatWait) {
  set(0, Phase::collective, 10);
  set(1, Phase::working, 10);
  EXPECT_EQ(hung(), 1);
  set(1, Phase::starting, 10);
  EXPECT_EQ(hung(), 1);
  set(1, Phase::done, 10);
  EXPECT_EQ(hung(), 0);
}

TEST_F(HangTest, WhoWaitsForRanksElsewhereMayWaitLonger) {
  patience_ = 2;
  EXPECT_EQ(hung(), std::nullopt);
  for (int rank = 0; rank < 3; ++rank) set(rank, Phase::working, 10);
  EXPECT_EQ(hung(), 0);
}

TEST_F(HangTest, AmongEqualsTheOneWithTheFewestSteps) {
  set(1, Phase::waiting, 9);
  EXPECT_EQ(hung(), 1);
}

TEST_F(HangTest, ARankThatHasEndedIsNotAwaited) {
  set(0, Phase::working, 0);
  shared_.rank(0).beat_ns = kNow_ns;
  pids_[0] = -1;
  EXPECT_EQ(hung(), 1);
  pids_ = {-1, -1, -1};
  EXPECT_EQ(hung(), std::nullopt);
}

TEST_F(HangTest, AStoppedProcessComesFirst) {
  const pid_t stopped = ::fork();
  if (stopped == 0) {
    ::pause();
    ::_exit(0);
  }
  int status = 0;
  ::kill(stopped, SIGSTOP);
  ::waitpid(stopped, &status, WUNTRACED);
  pids_[2] = stopped;
  set(0, Phase::working, 0);
  EXPECT_EQ(hung(), 2);
  ::kill(stopped, SIGKILL);
  ::waitpid(stopped, &status, 0);
}

}  // namespace
}  // namespace stash
