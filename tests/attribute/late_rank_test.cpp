#include "stash/attribute/late_rank.h"

#include <gtest/gtest.h>

#include "scripted.h"
#include "stash/attribute/attribute.h"

namespace stash {

namespace {

using testing_support::Script;
using testing_support::ScriptedProfile;

// Three ranks, 8 rounds; `change` sees every sample of a rank in a window of `steps` steps.
template <class Change>
Ledger ledger_of(Change change) {
  Script script;
  script.ranks = 3;
  ScriptedProfile scripted(script, 1);
  scripted.add_rounds(8);
  std::mt19937 random(7);
  for (Window& window : scripted.profile().windows) {
    for (std::size_t rank = 0; rank < window.ranks.size(); ++rank) {
      if (window.ranks[rank]) change(*window.ranks[rank], window, static_cast<int>(rank), random);
    }
  }
  return attribute(scripted.profile());
}

}  // namespace

TEST(LateRank, IsNobodyWhenAllAreAlike) {
  EXPECT_FALSE(ledger_of([](RankSample&, const Window&, int, std::mt19937&) {}).late_rank);
}

TEST(LateRank, IsFoundWhereRanksRunOnTheirOwn) {
  const Ledger ledger = ledger_of([](RankSample& sample, const Window& window, int rank, std::mt19937&) {
    if (rank == 1 && window.condition != Condition::solo) sample.wall_s += 0.030 * window.steps;
  });
  ASSERT_TRUE(ledger.late_rank);
  EXPECT_EQ(ledger.late_rank->rank, 1);
  EXPECT_EQ(ledger.late_rank->condition, Condition::apart);
  EXPECT_NEAR(ledger.late_rank->s, 0.030, 1e-9);
}

TEST(LateRank, IsTheOneThatWaitsForInputWhereCollectivesEqualise) {
  const Ledger ledger = ledger_of([](RankSample& sample, const Window& window, int rank, std::mt19937&) {
    if (window.condition == Condition::cold) sample.wall_s += 0.020 * window.steps;
    if (window.condition == Condition::cold && rank == 2) sample.input_wait_s += 0.020 * window.steps;
  });
  ASSERT_TRUE(ledger.late_rank);
  EXPECT_EQ(ledger.late_rank->rank, 2);
  EXPECT_EQ(ledger.late_rank->condition, Condition::cold);
  EXPECT_NEAR(ledger.late_rank->s, 0.020, 1e-9);
}

TEST(LateRank, NeedsMoreThanAHundredthOfTheStep) {
  const Ledger ledger = ledger_of([](RankSample& sample, const Window& window, int rank, std::mt19937&) {
    if (rank == 1 && window.condition == Condition::apart) sample.wall_s += 0.001 * window.steps;
  });
  EXPECT_FALSE(ledger.late_rank);
}

TEST(LateRank, IsNobodyWhenChanceMovesItAround) {
  const Ledger ledger = ledger_of([](RankSample& sample, const Window& window, int, std::mt19937& random) {
    sample.wall_s += std::uniform_real_distribution<double>(0, 0.030)(random) * window.steps;
  });
  EXPECT_FALSE(ledger.late_rank);
}

}  // namespace stash
