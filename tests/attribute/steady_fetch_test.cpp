#include "stash/attribute/steady_fetch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

#include "scripted.h"
#include "stash/attribute/attribute.h"

namespace stash {
namespace {

using testing_support::Script;
using testing_support::ScriptedProfile;

// Steps of 100 ms hot and 180 ms cold; a batch of 32 that one worker prepares in 60 ms.
Profile profile_with(std::int64_t dataset_bytes, std::int64_t cache_bytes) {
  Script script;
  script.chain = {Condition::solo, Condition::hot, Condition::cold};
  script.added_s = {0.100, 0.000, 0.080};
  script.ranks = 1;
  Profile profile = ScriptedProfile(script, 1).add_rounds(6).profile();
  profile.job.batch = 32;
  profile.job.workers = 1;
  InputCounters counters;
  counters.samples = 320;
  counters.decode_s = 0.5;
  counters.augment_s = 0.1;
  profile.inputs = {counters};
  profile.dataset_bytes = dataset_bytes;
  profile.cache_bytes = cache_bytes;
  return profile;
}

// Shuffled epochs through a cache that forgets what was used longest ago.
double replayed_share(int samples, int held) {
  std::mt19937 random(7);
  std::vector<int> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::list<int>::iterator> place(order.size());
  std::list<int> cached;  // newest first
  std::vector<bool> present(order.size(), false);
  int hits = 0;
  constexpr int kEpochs = 20;
  for (int epoch = 0; epoch <= kEpochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int sample : order) {
      const auto i = static_cast<std::size_t>(sample);
      if (present[i]) cached.erase(place[i]);
      if (present[i] && epoch > 0) ++hits;
      cached.push_front(sample);
      place[i] = cached.begin();
      present[i] = true;
      if (static_cast<int>(cached.size()) > held) {
        present[static_cast<std::size_t>(cached.back())] = false;
        cached.pop_back();
      }
    }
  }
  return hits / static_cast<double>(samples) / kEpochs;
}

}  // namespace

TEST(CachedShare, IsThatOfShuffledEpochsThroughACacheOrderedByLastUse) {
  for (const double held : {0.25, 0.5, 0.75, 0.9}) {
    EXPECT_NEAR(cached_share(held).low_ratio, replayed_share(2000, static_cast<int>(2000 * held)), 0.01) << held;
    EXPECT_DOUBLE_EQ(cached_share(held).high_ratio, held);
  }
}

TEST(CachedShare, OfACacheThatHoldsAllOrNothingIsThat) {
  EXPECT_DOUBLE_EQ(cached_share(0).low_ratio, 0);
  EXPECT_DOUBLE_EQ(cached_share(0).high_ratio, 0);
  EXPECT_DOUBLE_EQ(cached_share(3).low_ratio, 1);
  EXPECT_DOUBLE_EQ(cached_share(3).high_ratio, 1);
}

TEST(SteadyFetch, IsNothingWhereTheDataSetFitsIntoTheCache) {
  const Ledger ledger = attribute(profile_with(1'000'000, 2'000'000));
  ASSERT_TRUE(ledger.steady_fetch);
  EXPECT_EQ(ledger.steady_fetch->fetch, (Estimate{0, 0, 0}));
  EXPECT_DOUBLE_EQ(ledger.steady_fetch->cached_ratio, 1);
}

TEST(SteadyFetch, IsThatOfTheFirstEpochWhereNothingStaysCached) {
  const Ledger ledger = attribute(profile_with(1'000'000, 0));
  ASSERT_TRUE(ledger.steady_fetch);
  EXPECT_NEAR(ledger.steady_fetch->fetch.s, 0.080, 1e-9);
  EXPECT_NEAR(ledger.steady_fetch->fetch.high_s, ledger[Part::fetch]->high_s, 1e-9);
}

// Half is held, 0.5 + 0.5 ln 0.5 to 0.5 of the reads are answered, 0.3267 in the middle; the rest of 120 ms of reading
// comes on top of 60 ms of preparing: 60 + 0.6733 x 120 = 140.8 ms, 40.8 more than the hot step's 100.
TEST(SteadyFetch, OfAHalfCachedDataSetIsWhatItsReadingNeedsBeyondTheHotStep) {
  const Ledger ledger = attribute(profile_with(1'000'000, 500'000));
  ASSERT_TRUE(ledger.steady_fetch);
  EXPECT_NEAR(ledger.steady_fetch->cached_ratio, 0.3267, 1e-3);
  EXPECT_NEAR(ledger.steady_fetch->fetch.s, 0.0408, 1e-3);
  EXPECT_LT(ledger.steady_fetch->fetch.low_s, ledger.steady_fetch->fetch.s);
  EXPECT_GT(ledger.steady_fetch->fetch.high_s, ledger.steady_fetch->fetch.s);
}

TEST(SteadyFetch, TakesThePlaceOfFetchInTheStepsOfLaterEpochs) {
  Ledger ledger = attribute(profile_with(1'000'000, 2'000'000));
  EXPECT_NEAR(steady_step_s(ledger), ledger.step_by_condition.at(Condition::hot).s, 1e-9);
  ledger.steady_fetch.reset();
  EXPECT_DOUBLE_EQ(steady_step_s(ledger), ledger.step.s);
}

TEST(SteadyFetch, IsAbsentWhereASizeIsUnknownOrNothingWasFetched) {
  Profile profile = profile_with(1'000'000, 500'000);
  profile.dataset_bytes.reset();
  EXPECT_FALSE(attribute(profile).steady_fetch);
  profile = profile_with(1'000'000, 500'000);
  profile.cache_bytes.reset();
  EXPECT_FALSE(attribute(profile).steady_fetch);
  profile = profile_with(1'000'000, 500'000);
  std::erase_if(profile.windows, [](const Window& window) { return window.condition == Condition::cold; });
  EXPECT_FALSE(attribute(profile).steady_fetch);
}

}  // namespace stash
