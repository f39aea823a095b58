#include "stash/share/pool/pool_book.h"

#include <gtest/gtest.h>

#include <limits>

#include "share/simulated_jobs.h"
#include "stash/core/error.h"

namespace stash {
namespace {

const SimulatedJob kDecodes{.name = "decodes", .worker_s = 0.1, .ceiling = 200};
const SimulatedJob kComputes{.name = "computes", .worker_s = 0.01, .ceiling = 50};

const PoolJob& job_named(const PoolState& state, const std::string& name) {
  for (const PoolJob& job : state.jobs) {
    if (job.name == name) return job;
  }
  throw Error("no such job");
}

TEST(PoolBook, AJobThatComesGetsAllAndOneThatFollowsHalf) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  EXPECT_EQ(jobs.workers(1), 8);
  jobs.join(2, kComputes);
  EXPECT_EQ(jobs.workers(1), 4);
  EXPECT_EQ(jobs.workers(2), 4);
}

TEST(PoolBook, WorkersGoToTheJobThatTheyBringMost) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, kComputes);
  jobs.run(15);
  EXPECT_EQ(jobs.workers(1), 7);
  EXPECT_EQ(jobs.workers(2), 1);
  const PoolState state = book.state(jobs.now_s());
  EXPECT_NEAR(*job_named(state, "decodes").per_s, 70, 3);
  EXPECT_NEAR(*job_named(state, "decodes").even_per_s, 40, 3);
  ASSERT_EQ(job_named(state, "decodes").by_workers_per_s.size(), 8u);
  EXPECT_NEAR(job_named(state, "decodes").by_workers_per_s[1], 20, 1.5);
  EXPECT_NEAR(*state.predicted_gain_ratio, 0.375, 0.04) << "(70 / 40 + 1) / 2 - 1";
}

TEST(PoolBook, WhereNothingChangesNothingIsTold) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, kComputes);
  jobs.run(30);
  const int told = jobs.told();
  jobs.run(600);
  EXPECT_EQ(jobs.told(), told);
}

TEST(PoolBook, WhatAJobLeavesGoesToTheOthers) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, {.name = "decodes too", .worker_s = 0.1, .ceiling = 200});
  jobs.run(10);
  EXPECT_EQ(jobs.workers(1), 4);
  jobs.leave(2, true);
  EXPECT_EQ(jobs.workers(1), 8);
  const PoolState state = book.state(jobs.now_s());
  EXPECT_EQ(job_named(state, "decodes too").state, PoolJobState::died);
  EXPECT_EQ(state.given_workers, 8);
}

TEST(PoolBook, AJobWhoseSamplesBecomeDearerGetsMore) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, {.name = "a", .worker_s = 0.018, .ceiling = 100});
  jobs.join(2, {.name = "b", .worker_s = 0.1, .ceiling = 45});
  jobs.run(20);
  EXPECT_EQ(jobs.workers(1), 2);
  EXPECT_EQ(jobs.workers(2), 5) << "and one is idle";
  jobs.at(1).worker_s = 0.028;
  jobs.run(20);
  EXPECT_EQ(jobs.workers(1), 3);
}

TEST(PoolBook, AnAcceleratorThatHidesItsCeilingIsFoundOut) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, {.name = "hides", .worker_s = 0.1, .ceiling = 45, .shows_ceiling = false});
  jobs.join(2, {.name = "slow", .worker_s = 0.3, .ceiling = 100, .shows_ceiling = false});
  jobs.run(60);
  EXPECT_LE(jobs.workers(1), 5);
  EXPECT_GE(jobs.workers(2), 3);
}

TEST(PoolBook, WorkersThatStorageHoldsBackGoElsewhere) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, {.name = "reads", .worker_s = 0.05, .ceiling = 500, .bend = 1});
  jobs.join(2, kDecodes);
  jobs.run(60);
  EXPECT_LE(jobs.workers(1), 2) << "20 samples per second with any number";
  EXPECT_GE(jobs.workers(2), 6);
}

TEST(PoolBook, AJobThatFallsSilentKeepsItsLeastUntilItReportsAgain) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, {.name = "hangs", .worker_s = 0.1, .ceiling = 200});
  jobs.run(10);
  EXPECT_EQ(jobs.workers(2), 4);
  jobs.run(20, 2);
  EXPECT_EQ(job_named(book.state(jobs.now_s()), "hangs").state, PoolJobState::silent);
  EXPECT_EQ(jobs.workers(2), 1);
  EXPECT_EQ(jobs.workers(1), 7);
  jobs.run(20);
  EXPECT_GE(jobs.workers(2), 3);
}

TEST(PoolBook, AJobThatReportsWhatCannotBeTrueGetsAnEvenShare) {
  const auto with = [](auto change) {
    PoolBook book({.workers = 8});
    SimulatedJobs jobs(book);
    jobs.join(1, kDecodes);
    jobs.join(2, kComputes);
    jobs.run(15);
    EXPECT_EQ(jobs.workers(2), 1);
    ReportMessage report = jobs.report_of(jobs.at(2));
    change(report);
    book.report(2, report, jobs.now_s() + 1);
    const PoolState state = book.state(jobs.now_s());
    EXPECT_EQ(job_named(state, "computes").state, PoolJobState::doubtful);
    EXPECT_TRUE(job_named(state, "computes").note);
    EXPECT_EQ(job_named(state, "computes").workers, 4);
    EXPECT_EQ(job_named(state, "decodes").workers, 4);
  };
  with([](ReportMessage& report) { report.samples = -5; });
  with([](ReportMessage& report) { report.samples = std::numeric_limits<std::int64_t>::max(); });
  with([](ReportMessage& report) { report.busy_s = std::numeric_limits<double>::quiet_NaN(); });
  with([](ReportMessage& report) { report.busy_s = 1e9; });
  with([](ReportMessage& report) { report.waited_s = 100; });
  with([](ReportMessage& report) { report.elapsed_s = 1e6; });
}

TEST(PoolBook, AJobKeepsItsLeast) {
  PoolBook book({.workers = 4});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  book.join(2, {.name = "least", .job = "least", .workers = 2, .min_workers = 3}, 0);
  EXPECT_EQ(job_named(book.state(0), "least").workers, 3);
  EXPECT_EQ(job_named(book.state(0), "decodes").workers, 1);
  book.join(3, {.name = "more", .job = "more", .workers = 2, .min_workers = 3}, 0);
  const PoolState state = book.state(0);
  EXPECT_EQ(state.given_workers, 7) << "more than there are, but nobody stops";
  EXPECT_EQ(state.notes.size(), 1u);
}

TEST(PoolBook, RanksOfAJobHaveTheSameNumberAndTheSlowestCounts) {
  PoolBook book({.workers = 8});
  for (int rank = 0; rank < 2; ++rank) {
    book.join(1 + rank, {.name = "two", .job = "two", .rank = rank, .ranks_here = 2, .workers = 2}, 0);
  }
  const PoolState state = book.state(0);
  ASSERT_EQ(state.jobs.size(), 1u);
  EXPECT_EQ(state.jobs[0].ranks, 2);
  EXPECT_EQ(state.jobs[0].workers, 8);
  for (int second = 1; second <= 5; ++second) {
    for (int rank = 0; rank < 2; ++rank) {
      book.report(
          1 + rank,
          {.workers = 4, .elapsed_s = 1, .samples = rank == 0 ? 40 : 30, .batches = 4, .waited_s = 0.5, .busy_s = 4},
          second);
    }
  }
  EXPECT_NEAR(*book.state(5).jobs[0].per_s, 60, 1);
}

TEST(PoolBook, FewerCoresAreSharedAtOnce) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, {.name = "other", .worker_s = 0.1, .ceiling = 200});
  jobs.run(10);
  book.set_workers(4, jobs.now_s());
  EXPECT_EQ(book.state(jobs.now_s()).given_workers, 4);
}

TEST(PoolBook, TheEvenPolicyLooksAtNoReport) {
  PoolBook book({.workers = 8, .policy = PoolPolicy::even});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, kComputes);
  jobs.run(30);
  EXPECT_EQ(jobs.workers(1), 4);
  EXPECT_EQ(jobs.workers(2), 4);
}

TEST(PoolBook, MeasuresWhatItBringsInAlternatingWindows) {
  PoolBook book({.workers = 8, .gain_window_s = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, kComputes);
  jobs.run(200);
  const std::optional<PoolGain> gain = book.state(jobs.now_s()).gain;
  ASSERT_TRUE(gain);
  EXPECT_GE(gain->pairs, 8);
  ASSERT_TRUE(gain->low_ratio);
  EXPECT_GT(*gain->low_ratio, 0.2);
  EXPECT_NEAR(gain->ratio, 0.375, 0.05);
}

TEST(PoolBook, AJobOfAnotherProtocolIsRefused) {
  PoolBook book({.workers = 8});
  book.join(1, {.protocol = 99, .name = "new", .job = "new"}, 0);
  const PoolBook::Outbox outbox = book.take_outbox();
  ASSERT_EQ(outbox.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<RefusedMessage>(outbox[0].second));
  EXPECT_FALSE(book.has(1));
}

TEST(PoolBook, WhatAJobSaysOfItselfCannotBreakThePool) {
  constexpr int kHuge = std::numeric_limits<int>::max();
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  book.join(2, {.name = "many ranks", .job = "2", .ranks_here = kHuge, .workers = kHuge}, 0);
  book.join(3, {.name = "long", .job = std::string(300, 'k'), .workers = 1}, 0);
  EXPECT_FALSE(book.has(3));
  book.join(4, {.name = "greedy", .job = "4", .workers = 1, .min_workers = 3000, .max_workers = kHuge}, 0);
  EXPECT_TRUE(book.has(4));
  book.join(5, {.name = "greedy too", .job = "5", .workers = 1, .min_workers = 3000, .max_workers = kHuge}, 0);
  EXPECT_FALSE(book.has(5)) << "6000 workers are more than any machine has";
  book.join(6, {.name = "another rank", .job = "4", .rank = 1, .workers = 1, .min_workers = 1}, 0);
  EXPECT_FALSE(book.has(6)) << "it would have 3000 too";
  jobs.run(5);
  EXPECT_GE(jobs.workers(1), 1);
}

TEST(PoolBook, AMakespanNeedsNoRemainingWorkOfEveryJob) {
  PoolBook book({.workers = 8, .objective = Objective::makespan});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, kComputes);
  jobs.run(15);
  EXPECT_GE(jobs.workers(1), 6) << "neither says what is left: both count alike";
}

TEST(PoolBook, ADaysTimeLineStaysSmall) {
  PoolBook book({.workers = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.run(24 * 3600);
  const PoolState state = book.state(jobs.now_s());
  EXPECT_LE(state.jobs[0].points.size(), 256u);
  EXPECT_GE(state.jobs[0].points.size(), 64u);
  double lasted_s = 0;
  for (const PoolPoint& point : state.jobs[0].points) lasted_s += point.lasted_s;
  EXPECT_NEAR(lasted_s, 24 * 3600, 2000);
}

TEST(PoolBook, ItsStateComesBackAsItWas) {
  PoolBook book({.workers = 8, .gain_window_s = 8});
  SimulatedJobs jobs(book);
  jobs.join(1, kDecodes);
  jobs.join(2, kComputes);
  jobs.run(50);
  const PoolState state = book.state(jobs.now_s());
  EXPECT_EQ(to_line(pool_state_from_line(to_line(state))), to_line(state));
}

}  // namespace
}  // namespace stash
