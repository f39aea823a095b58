#include "stash/share/allocate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stash/core/error.h"
#include "stash/share/storage_shares.h"
#include "support/message_of.h"

namespace stash {
namespace {

Rate exactly(double per_s) { return {per_s, per_s, per_s}; }

SupplyCurve curve(std::vector<double> rates, int ranks = 1, double bytes = 0) {
  SupplyCurve made{.name = fmt::format("job of {}", rates.size()), .ranks = ranks, .by_workers = {}, .ceiling = {}};
  double most = 0;
  for (const double rate : rates) {
    made.by_workers.push_back(exactly(rate));
    most = std::max(most, rate);
  }
  made.ceiling = exactly(most);
  made.storage_bytes_per_sample = bytes;
  return made;
}

// A worker adds at least a hundredth, or nothing.
SupplyCurve random_curve(std::mt19937& random, int most_workers, bool reads) {
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<double> rates;
  double rate = 100 * (0.1 + share(random));
  const double step = rate * (0.05 + share(random)), ceiling = rate * (1 + 6 * share(random));
  for (int k = 0; k < most_workers; ++k) {
    rates.push_back(rate);
    rate = std::min(rate + step * (0.5 + share(random)), std::max(ceiling, rate));
  }
  SupplyCurve made = curve(rates, share(random) < 0.3 ? 2 : 1, reads && share(random) < 0.6 ? 1 + share(random) : 0);
  made.ceiling = exactly(std::max(ceiling, rates.back()));
  made.samples_left = 100 + 10000 * share(random);
  return made;
}

// Every number of workers for every job, and every way to give out the storage in pieces.
class BruteForce {
 public:
  BruteForce(std::span<const SupplyCurve> curves, const Resources& resources, Objective objective)
      : curves_(curves), resources_(resources), objective_(objective) {
    even_ = rates_of(curves, even_split(curves, resources));
    allocation_.jobs.resize(curves.size());
    best_ = objective_value(curves_, even_, even_, objective_);
    best_mean_ = 1;
    visit(0, resources.cores, kStorageUnits);
  }
  double best() const { return best_; }
  double best_mean() const { return best_mean_; }  // among those that are best

 private:
  void visit(std::size_t job, int cores, int units) {
    if (job == curves_.size()) return score();
    const SupplyCurve& curve = curves_[job];
    const bool counts = curve.storage_bytes_per_sample > 0 && std::isfinite(resources_.storage_bytes_per_s);
    for (int workers = curve.min_workers; workers <= curve.max_workers(); ++workers) {
      if (workers * curve.ranks > cores) break;
      for (int unit = counts ? 1 : 0; unit <= (counts ? units : 0); ++unit) {
        const double bytes = counts ? resources_.storage_bytes_per_s * unit / kStorageUnits : kAllStorage;
        allocation_.jobs[job] = {workers, bytes};
        visit(job + 1, cores - workers * curve.ranks, units - unit);
      }
    }
  }
  void score() {
    const std::vector<Rate> rates = rates_of(curves_, allocation_);
    const double value = objective_value(curves_, rates, even_, objective_), mean = mean_ratio(rates, even_);
    if (value < best_ * (1 - 1e-9)) return;
    best_mean_ = value > best_ * (1 + 1e-9) ? mean : std::max(best_mean_, mean);
    best_ = std::max(best_, value);
  }

  std::span<const SupplyCurve> curves_;
  Resources resources_;
  Objective objective_;
  std::vector<Rate> even_;
  Allocation allocation_;
  double best_ = 0, best_mean_ = 0;
};

int cores_of(std::span<const SupplyCurve> curves, const Allocation& allocation) {
  int cores = 0;
  for (std::size_t j = 0; j < curves.size(); ++j) cores += allocation.jobs[j].workers * curves[j].ranks;
  return cores;
}

void expect_as_brute_force(std::span<const SupplyCurve> curves, const Resources& resources, Objective objective) {
  const BruteForce brute(curves, resources, objective);
  const Allocation found = allocate(curves, resources, objective);
  const std::vector<Rate> rates = rates_of(curves, found), even = rates_of(curves, even_split(curves, resources));
  EXPECT_NEAR(objective_value(curves, rates, even, objective) / brute.best(), 1, 1e-9) << to_string(objective);
  EXPECT_NEAR(mean_ratio(rates, even) / brute.best_mean(), 1, 1e-9) << to_string(objective);
  EXPECT_EQ(cores_of(curves, found) + found.idle_cores, resources.cores);
}

TEST(Allocate, IsAsGoodAsBruteForceOnAThousandMixes) {
  std::mt19937 random(7);
  for (int mix = 0; mix < 1000; ++mix) {
    SCOPED_TRACE(mix);
    const auto jobs = static_cast<int>(2 + random() % 3);
    std::vector<SupplyCurve> curves;
    for (int j = 0; j < jobs; ++j) curves.push_back(random_curve(random, static_cast<int>(3 + random() % 5), false));
    const Resources resources{.cores = static_cast<int>(2 * jobs + static_cast<int>(random() % 9))};
    expect_as_brute_force(curves, resources, every(Objective{})[static_cast<std::size_t>(mix % 3)]);
    if (HasFailure()) return;
  }
}

TEST(Allocate, IsAsGoodAsBruteForceWhereStorageIsShort) {
  std::mt19937 random(11);
  for (int mix = 0; mix < 60; ++mix) {
    SCOPED_TRACE(mix);
    std::vector<SupplyCurve> curves;
    for (int j = 0; j < 3; ++j) curves.push_back(random_curve(random, 3, true));
    Resources resources{.cores = static_cast<int>(6 + random() % 4)};
    double asked = 0;
    for (const SupplyCurve& one : curves) asked += storage_demand_bytes_per_s(one, 3);
    resources.storage_bytes_per_s = asked > 0 ? asked * 0.6 : kAllStorage;
    const Allocation found = allocate(curves, resources, Objective::throughput);
    const std::vector<Rate> even = rates_of(curves, even_split(curves, resources));
    const double value = mean_ratio(rates_of(curves, found), even);
    const BruteForce brute(curves, resources, Objective::throughput);
    EXPECT_NEAR(value / brute.best(), 1, kWorthwhileRatio) << "pieces of storage are coarse beside an even split";
    EXPECT_GE(value, 1 - 1e-9);
  }
}

TEST(Allocate, GivesAJobThatComputesItsOneWorkerAndTheOtherTheRest) {
  const std::vector<SupplyCurve> curves{curve({100, 100, 100, 100, 100, 100, 100, 100}),
                                        curve({10, 20, 30, 40, 50, 60, 70, 80})};
  const Allocation found = allocate(curves, {.cores = 8}, Objective::throughput);
  EXPECT_EQ(found.jobs[0].workers, 1);
  EXPECT_EQ(found.jobs[1].workers, 7);
  EXPECT_EQ(found.idle_cores, 0);
}

TEST(Allocate, LeavesCoresIdleThatBringNothing) {
  const std::vector<SupplyCurve> curves{curve({100, 100, 100, 100}), curve({10, 20, 20, 20.01})};
  const Allocation found = allocate(curves, {.cores = 8}, Objective::throughput);
  EXPECT_EQ(found.jobs[0].workers, 1);
  EXPECT_EQ(found.jobs[1].workers, 2);
  EXPECT_EQ(found.idle_cores, 5);
}

TEST(Allocate, FairnessRaisesTheJobThatIsFurthestBelowItsCeiling) {
  std::vector<SupplyCurve> curves{curve({50, 100, 150, 200}), curve({10, 20, 30, 40})};
  curves[1].ceiling = exactly(80);
  const Allocation found = allocate(curves, {.cores = 5}, Objective::fairness);
  EXPECT_EQ(found.jobs[1].workers, 3) << "30 of 80 beside 100 of 200";
  EXPECT_EQ(found.jobs[0].workers, 2);
}

TEST(Allocate, MakespanHelpsTheJobThatWouldEndLast) {
  std::vector<SupplyCurve> curves{curve({10, 20, 30, 40, 50}), curve({10, 20, 30, 40, 50})};
  curves[0].samples_left = 1000;
  curves[1].samples_left = 4000;
  const Allocation found = allocate(curves, {.cores = 5}, Objective::makespan);
  EXPECT_EQ(found.jobs[0].workers, 1);
  EXPECT_EQ(found.jobs[1].workers, 4);
}

TEST(Allocate, AJobThatDoesNotSayWhatIsLeftCountsAsTheOthersDoOnAverage) {
  std::vector<SupplyCurve> curves{curve({10, 20, 30, 40, 50}), curve({1000, 2000, 3000, 4000, 5000})};
  curves[0].samples_left = 50'000;
  EXPECT_EQ(work_left(curves), (std::vector<double>{50'000, 5'000'000}));
  EXPECT_EQ(allocate(curves, {.cores = 6}, Objective::makespan).jobs[0].workers, 3);
  curves[0].samples_left.reset();
  EXPECT_EQ(allocate(curves, {.cores = 6}, Objective::makespan).jobs[0].workers, 3);
}

TEST(Allocate, StorageIsTakenFromAJobThatCannotUseIt) {
  // Both read 1 byte per sample; the first computes no faster than 30 samples per second.
  const std::vector<SupplyCurve> curves{curve({30, 30}, 1, 1), curve({50, 100}, 1, 1)};
  const Resources resources{.cores = 4, .storage_bytes_per_s = 100};
  const std::vector<Rate> rates = rates_of(curves, allocate(curves, resources, Objective::throughput));
  EXPECT_NEAR(rates[0].per_s, 30, 1e-9);
  EXPECT_NEAR(rates[1].per_s, 70, 1e-9);
}

TEST(EvenSplit, GivesWholeWorkersToEveryRank) {
  const std::vector<SupplyCurve> curves{curve({1, 2, 3, 4, 5, 6}, 2), curve({1, 2, 3, 4, 5, 6})};
  const Allocation even = even_split(curves, {.cores = 8});
  EXPECT_EQ(even.jobs[0].workers, 2);
  EXPECT_EQ(even.jobs[1].workers, 4);
}

TEST(EvenSplit, SharesStorageAsAnOperatingSystemDoes) {
  const std::vector<SupplyCurve> curves{curve({10}, 1, 1), curve({100}, 1, 1), curve({200}, 1, 1)};
  const Allocation even = even_split(curves, {.cores = 3, .storage_bytes_per_s = 100});
  EXPECT_DOUBLE_EQ(even.jobs[0].storage_bytes_per_s, 10);
  EXPECT_DOUBLE_EQ(even.jobs[1].storage_bytes_per_s, 45);
  EXPECT_DOUBLE_EQ(even.jobs[2].storage_bytes_per_s, 45);
}

TEST(Allocate, MinimumsThatExceedTheCoresAreRefused) {
  std::vector<SupplyCurve> curves{curve({1, 2, 3}, 2), curve({1, 2, 3})};
  curves[0].min_workers = 2;
  const std::string message = message_of<UsageError>([&] { allocate(curves, {.cores = 4}, Objective::throughput); });
  EXPECT_NE(message.find("at least 5 workers"), std::string::npos) << message;
  EXPECT_NE(message.find("--cores is 4"), std::string::npos) << message;
}

TEST(Allocate, RatesThatAreNoNumbersAreRefused) {
  std::vector<SupplyCurve> curves{curve({1, std::nan("")})};
  EXPECT_THROW(allocate(curves, {.cores = 4}, Objective::throughput), Error);
  curves = {curve({1, 2})};
  curves[0].min_workers = 3;
  EXPECT_THROW(allocate(curves, {.cores = 4}, Objective::throughput), UsageError);
  EXPECT_THROW(allocate({}, {.cores = 4}, Objective::throughput), UsageError);
}

}  // namespace
}  // namespace stash
