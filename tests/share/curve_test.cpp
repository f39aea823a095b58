#include <gtest/gtest.h>

#include <cmath>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/share/curve_of_profile.h"
#include "stash/share/sharing_plan.h"
#include "support/message_of.h"

namespace stash {
namespace {

constexpr double kFed_s = 0.1;  // a step of 32 samples without input

// One rank whose samples take 10 ms of a core: 1 worker feeds 100 samples per second, 320 are the ceiling.
Profile decoding_profile(int workers, double noise = 0) {
  Profile profile;
  profile.job.model = "resnet18";
  profile.job.batch = 32;
  profile.job.ranks = 1;
  profile.job.workers = workers;
  profile.job.prefetch = 8;
  profile.job.device = "emulated:V100";
  profile.machine.cores = 64;
  InputCounters counters;
  counters.samples = 1000;
  counters.read_bytes = 100'000'000;
  counters.decode_s = 10;
  profile.inputs = {counters};
  profile.dataset_samples = 50'000;
  const double hot_s = std::max(kFed_s, 32 * 0.01 / workers);
  const std::vector<std::pair<Condition, double>> steps{
      {Condition::solo, kFed_s}, {Condition::hot, hot_s}, {Condition::cold, hot_s}};
  for (int round = 0; round < 6; ++round) {
    for (const auto& [condition, step_s] : steps) {
      const double wall_s = 5 * step_s * (1 + noise * (round % 3 - 1));
      profile.windows.push_back({round, condition, 5, {RankSample{wall_s, 0, 0}}, {}, {}, {}});
    }
  }
  return profile;
}

SupplyCurve curve_of_one(const Profile& profile) { return curve_of({&profile, 1}, "job", {.most_workers = 8}); }

TEST(SupplyCurve, RisesWithTheWorkersToTheCeiling) {
  const SupplyCurve curve = curve_of_one(decoding_profile(2));
  EXPECT_EQ(curve.max_workers(), 8);
  EXPECT_NEAR(curve.by_workers[0].per_s, 100, 3);
  EXPECT_NEAR(curve.by_workers[1].per_s, 200, 3);
  EXPECT_NEAR(curve.by_workers[2].per_s, 300, 9);
  EXPECT_NEAR(curve.by_workers[3].per_s, 320, 1);
  EXPECT_NEAR(curve.by_workers[7].per_s, 320, 1);
  EXPECT_NEAR(curve.ceiling.per_s, 320, 1);
  EXPECT_EQ(curve.samples_left, 50'000);
}

TEST(SupplyCurve, IsKnownBestWhereItWasMeasured) {
  const SupplyCurve curve = curve_of_one(decoding_profile(2, 0.005));
  const auto width = [&](int workers) {
    const Rate& rate = curve.by_workers[static_cast<std::size_t>(workers - 1)];
    return (rate.high_per_s - rate.low_per_s) / rate.per_s;
  };
  EXPECT_LT(width(2), width(1));
  EXPECT_GT(width(2), 0);
}

TEST(SupplyCurve, SeveralProfilesSayWhatEachMoreWorkerIsWorth) {
  std::vector<Profile> profiles{decoding_profile(1), decoding_profile(3)};
  // Three workers disturb each other: 240 samples per second instead of 300.
  for (Window& window : profiles[1].windows) {
    if (window.condition != Condition::solo) window.ranks[0]->wall_s *= 300.0 / 240.0;
  }
  const SupplyCurve curve = curve_of(profiles, "job", {.most_workers = 4});
  EXPECT_NEAR(curve.by_workers[0].per_s, 100, 3);
  EXPECT_NEAR(curve.by_workers[2].per_s, 240, 5);
  EXPECT_GT(curve.by_workers[1].per_s, 165);
  EXPECT_LT(curve.by_workers[1].per_s, 200);
}

TEST(SupplyCurve, AScriptThatKeptUpSaysSo) {
  Profile profile = decoding_profile(4);
  profile.inputs.clear();
  const SupplyCurve curve = curve_of_one(profile);
  ASSERT_EQ(curve.assumptions.size(), 1U);
  EXPECT_NE(curve.assumptions[0].find("kept up with 4 workers"), std::string::npos);
  EXPECT_DOUBLE_EQ(curve.by_workers[0].high_per_s, curve.ceiling.high_per_s);
}

TEST(SupplyCurve, AProfileWithoutInputIsRefused) {
  Profile profile = decoding_profile(2);
  std::erase_if(profile.windows, [](const Window& window) { return window.condition != Condition::solo; });
  const std::string message = message_of<Error>([&] { curve_of_one(profile); });
  EXPECT_NE(message.find("job 'job'"), std::string::npos) << message;
  EXPECT_NE(message.find("profile it again"), std::string::npos) << message;
}

TEST(SupplyCurve, ProfilesOfDifferentJobsAreNotJoined) {
  std::vector<Profile> profiles{decoding_profile(1), decoding_profile(2)};
  profiles[1].job.batch = 64;
  EXPECT_THROW(curve_of(profiles, "job", {}), UsageError);
}

TEST(SharingPlan, FindsThe6WorkersThatTheMeasuredJobNeeds) {
  const Profile profile = read_profile(std::string(STASH_ROOT) + "/docs/profiles/h200-resnet50-4-workers.json");
  const SupplyCurve curve = curve_of({&profile, 1}, "resnet50", {.most_workers = 16});
  const SharingPlan plan = plan_sharing({&curve, 1}, {.cores = 16}, Objective::throughput);
  EXPECT_EQ(plan.jobs[0].workers, 6);
  EXPECT_EQ(plan.idle_cores, 10);
  EXPECT_NEAR(plan.jobs[0].throughput.per_s, 256 / 0.05827, 0.03 * 256 / 0.05827) << "measured with 6 workers";
}

TEST(SharingPlan, TheIntervalHoldsTheGain) {
  const std::vector<SupplyCurve> curves{curve_of_one(decoding_profile(1, 0.01)),
                                        curve_of_one(decoding_profile(4, 0.01))};
  std::vector<SupplyCurve> jobs = curves;
  for (Rate& rate : jobs[1].by_workers) rate = jobs[1].ceiling;  // computes: one worker is enough
  const SharingPlan plan = plan_sharing(jobs, {.cores = 4}, Objective::throughput);
  EXPECT_EQ(plan.jobs[0].workers, 3);
  EXPECT_EQ(plan.jobs[1].workers, 1);
  EXPECT_GT(plan.gain_low_ratio, 0);
  EXPECT_LE(plan.gain_low_ratio, plan.gain_ratio);
  EXPECT_GE(plan.gain_high_ratio, plan.gain_ratio);
}

}  // namespace
}  // namespace stash
