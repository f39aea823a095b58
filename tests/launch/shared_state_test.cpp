#include "stash/launch/shared_state.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {
namespace {

TEST(SharedState, StartsWithNoSignOfLifeAndNoRequest) {
  SharedState state = SharedState::create(3);
  ASSERT_EQ(state.states().size(), 3U);
  for (const RankState& rank : state.states()) {
    EXPECT_EQ(rank.beat_ns, 0);
    EXPECT_EQ(rank.step, 0);
    EXPECT_EQ(rank.phase, Phase::starting);
  }
  EXPECT_FALSE(state.stop_requested());
}

TEST(SharedState, ASignOfLifeCrossesOneWayAndTheRequestTheOther) {
  SharedState supervisor = SharedState::create(2);
  SharedState rank = SharedState::open(::dup(supervisor.fd()), 2);
  const std::int64_t before_ns = now_ns();
  rank.rank(1).beat(Phase::collective);
  EXPECT_EQ(supervisor.rank(1).phase, Phase::collective);
  EXPECT_GE(supervisor.rank(1).beat_ns, before_ns);
  EXPECT_EQ(supervisor.rank(0).beat_ns, 0);
  supervisor.request_stop();
  EXPECT_TRUE(rank.stop_requested());
}

TEST(SharedState, NoRankLeavesAMeetingBeforeTheLastHasCome) {
  constexpr int kRanks = 4;
  constexpr int kMeetings = 500;
  SharedState state = SharedState::create(kRanks);
  std::array<std::atomic<int>, kRanks> done{};
  std::atomic<int> early{0};
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] {
      for (int meeting = 1; meeting <= kMeetings; ++meeting) {
        done[rank] = meeting;
        state.meet();
        for (const std::atomic<int>& other : done) early += other < meeting ? 1 : 0;
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(early, 0);
}

TEST(SharedState, ProcessesMeetToo) {
  SharedState state = SharedState::create(2);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) state.meet();
    _exit(0);
  }
  for (int i = 0; i < 100; ++i) state.meet();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(SharedState, WithoutASupervisorThePageIsTheRanksOwn) {
  SharedState first = SharedState::open(-1, 1);
  SharedState second = SharedState::open(-1, 1);
  first.request_stop();
  first.rank(0).beat(Phase::working);
  EXPECT_FALSE(second.stop_requested());
  EXPECT_EQ(second.rank(0).phase, Phase::starting);
}

TEST(SharedState, IsMovedWithItsPage) {
  SharedState first = SharedState::create(1);
  first.rank(0).step = 7;
  SharedState second = std::move(first);
  EXPECT_EQ(second.rank(0).step, 7);
}

TEST(SharedState, ADescriptorThatIsNoneIsAnError) { EXPECT_THROW(SharedState::open(987'654, 1), Error); }

TEST(SharedState, PhasesReadAsPartsOfASentence) {
  EXPECT_EQ(to_string(Phase::collective), "in a collective");
  EXPECT_EQ(to_string(Phase::waiting), "waiting for the other ranks");
}

}  // namespace
}  // namespace stash
