#include "stash/serve/predict/simulate_serving.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"

namespace stash {
namespace {

ServedModel sleeper(double s) {
  const TensorSpec spec{.name = "x", .type = find_tensor_type("FP32"), .shape = {1}};
  return {.name = "m", .platform = "test", .input = spec, .output = spec, .times = BatchTimes({{1, s}})};
}

double part_s(const PredictedServing& served, RequestPart part) {
  return served.parts_s[static_cast<std::size_t>(part)].value_or(0);
}

// A queue with one server, Poisson arrivals and a service of fixed length waits rho / (1 - rho) / 2 of it on average.
TEST(SimulateServing, BatchesOfOneWaitAsTheFormulaSays) {
  for (const double load : {0.3, 0.5, 0.7}) {
    const PredictedServing served =
        simulate_serving(sleeper(0.01), {.most_batch = 1}, {.rate_per_s = load / 0.01, .duration_s = 5000, .seed = 3});
    EXPECT_NEAR(part_s(served, RequestPart::queue), 0.01 * load / (1 - load) / 2, 0.0004) << load;
    EXPECT_NEAR(part_s(served, RequestPart::batch_wait), 0, 1e-9);
    EXPECT_NEAR(served.busy_ratio, load, 0.02);
    EXPECT_NEAR(part_s(served, RequestPart::compute), 0.01, 1e-9);
  }
}

TEST(SimulateServing, PartsAddUpToTheMean) {
  const PredictedServing served =
      simulate_serving(sleeper(0.01), {.objective_s = 0.05, .most_batch = 8}, {.rate_per_s = 600, .beside_s = 0.0002});
  double sum = 0;
  for (const auto& part : served.parts_s) sum += part.value_or(0);
  EXPECT_NEAR(sum, served.mean_s, 1e-9);
  EXPECT_NEAR(part_s(served, RequestPart::notify), 0.0002, 1e-9);
  EXPECT_GT(served.mean_batch, 4);
}

TEST(SimulateServing, BeyondItsCapacityItRefusesWhatItCannotDo) {
  const PredictedServing served =
      simulate_serving(sleeper(0.01), {.objective_s = 0.05, .most_batch = 8}, {.rate_per_s = 1600});
  EXPECT_NEAR(served.capacity_per_s, 800, 1);
  EXPECT_NEAR(served.refused_ratio, 0.5, 0.03);
  EXPECT_LE(served.p99_s, 0.05);
}

TEST(SimulateServing, WaitingByTheRateIsNoWorseThanNotWaitingOrAFixedTime) {
  for (const double rate : {50.0, 200.0, 400.0, 600.0}) {
    const ServingLoad load{.rate_per_s = rate, .duration_s = 200};
    const double chosen_s = simulate_serving(sleeper(0.01), {.most_batch = 8}, load).mean_s;
    for (const double timeout_s : {0.0, 0.002, 0.005}) {
      const double fixed_s =
          simulate_serving(sleeper(0.01),
                           {.batching = BatchingWay::fixed, .most_batch = 8, .batch_timeout_s = timeout_s}, load)
              .mean_s;
      EXPECT_LE(chosen_s, fixed_s * 1.01) << rate << " " << timeout_s;
    }
  }
}

TEST(SimulateServing, TheSameSeedGivesTheSameFigures) {
  const ServingLoad load{.rate_per_s = 300, .duration_s = 20, .seed = 9};
  EXPECT_EQ(simulate_serving(sleeper(0.01), {}, load).p99_s, simulate_serving(sleeper(0.01), {}, load).p99_s);
  EXPECT_THROW(simulate_serving(sleeper(0.01), {.objective_s = 0.005}, load), UsageError);
}

}  // namespace
}  // namespace stash
