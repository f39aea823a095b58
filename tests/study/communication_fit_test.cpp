#include "stash/study/communication_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stash/core/error.h"
#include "synthetic.h"

namespace stash {
namespace {

using testing_support::observation;

std::vector<Observation> observations(const Communication& truth, int in_flight, double noise_s, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, noise_s);
  std::vector<Observation> result;
  for (const int buckets : {1, 2, 3, 5, 8, 12, 20}) {
    for (const double bytes : {2e6, 10e6, 26e6}) {
      Observation o = observation(bytes, buckets, in_flight);
      o.stall.s = stall_s(o, truth) + noise(random);
      o.stall.low_s = o.stall.s - 2 * noise_s;
      o.stall.high_s = o.stall.s + 2 * noise_s;
      o.step_s = 0.15 + o.stall.s;
      result.push_back(o);
    }
  }
  return result;
}

bool covers(const Coefficient& coefficient, double truth) {
  return coefficient.low <= truth && truth <= coefficient.high;
}

TEST(CommunicationFit, FindsTheCoefficientsThatMadeTheStalls) {
  const Communication truth{.latency_s = 5e-4, .s_per_byte = 1.5e-9, .paired_ratio = 1.6, .slowdown_ratio = 0.05};
  const CommunicationFit fit = fit_communication(observations(truth, 2, 0, 1));
  EXPECT_NEAR(fit.latency_s.value / truth.latency_s, 1, 0.03);
  EXPECT_NEAR(fit.s_per_byte.value / truth.s_per_byte, 1, 0.01);
  ASSERT_TRUE(fit.paired_ratio);
  EXPECT_NEAR(fit.paired_ratio->value, truth.paired_ratio, 0.02);
  EXPECT_NEAR(fit.slowdown_ratio.value, truth.slowdown_ratio, 0.01);
  EXPECT_GT(fit.r_squared, 0.9999);
}

TEST(CommunicationFit, ItsIntervalsCoverTheTruthThroughNoise) {
  const Communication truth{.latency_s = 2e-3, .s_per_byte = 1.5e-9, .paired_ratio = 1.6, .slowdown_ratio = 0.1};
  constexpr int kTrials = 30;
  int latency = 0, bytes = 0, paired = 0, slowdown = 0;
  for (unsigned seed = 0; seed < kTrials; ++seed) {
    const CommunicationFit fit = fit_communication(observations(truth, 2, 2e-3, seed));
    latency += covers(fit.latency_s, truth.latency_s);
    bytes += covers(fit.s_per_byte, truth.s_per_byte);
    paired += covers(fit.paired_ratio.value(), truth.paired_ratio);
    slowdown += covers(fit.slowdown_ratio, truth.slowdown_ratio);
  }
  EXPECT_GE(latency, 25);
  EXPECT_GE(bytes, 25);
  EXPECT_GE(paired, 25);
  EXPECT_GE(slowdown, 25);
}

TEST(CommunicationFit, ALinkThatIsNotThereCostsNothing) {
  const CommunicationFit fit = fit_communication(observations({}, 1, 0, 1));
  EXPECT_LT(fit.s_per_byte.value, 1e-12);
  EXPECT_FALSE(fit.paired_ratio);
  EXPECT_FALSE(fit.r_squared);
}

TEST(CommunicationFit, TooFewProfilesAreSaidToBe) {
  const std::vector<Observation> few(kFewestFitted - 1, observation(1e6, 2));
  EXPECT_THROW(fit_communication(few), Error);
}

}  // namespace
}  // namespace stash
