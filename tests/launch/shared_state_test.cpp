#include "stash/launch/shared_state.h"

#include <gtest/gtest.h>
#include <unistd.h>

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
