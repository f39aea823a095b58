#include "stash/predict/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases.h"
#include "stash/attribute/attribute.h"
#include "stash/core/error.h"
#include "step_events.h"
#include "support/message_of.h"

namespace stash {
namespace {

constexpr double kCompute_s = 18.5;  // of small_job

void expect_step(double expected_s, const StepJob& job, const Cluster& cluster, Condition condition) {
  const auto expect = [&](const StepMethod& method, const char* name) {
    EXPECT_NEAR(simulate_step_s(job, cluster, condition, method), expected_s, 1e-12 * expected_s)
        << to_string(condition) << name;
  };
  expect({}, "");
  expect(kByEvents, " by events");
  expect(kByEventsOfEveryRank, " by events of every rank");
}

Cluster two_ranks(double link_bytes_per_s) {
  Cluster cluster;
  cluster.ranks_per_node = 2;
  cluster.link_bytes_per_s = link_bytes_per_s;
  return cluster;
}

TEST(Simulate, OneRankTakesItsLayersTime) {
  for (const Condition condition : kConditions) expect_step(kCompute_s, small_job(), {}, condition);
}

TEST(Simulate, OneBucketOverlapsWithNothing) {
  StepJob job = small_job();
  job.first_bucket_bytes = job.bucket_bytes = 1000;
  expect_step(kCompute_s + 600.0 / 100, job, two_ranks(100), Condition::node);
}

TEST(Simulate, BucketsThatPassWhileTheRestComputesCostNothingButTheLast) {
  expect_step(kCompute_s + 1, small_job(), two_ranks(100), Condition::node);  // 3 s, 2 s hidden, 1 s left
  expect_step(kCompute_s, small_job(), two_ranks(kNoLimit), Condition::node);
}

TEST(Simulate, BucketsPassOneAfterTheOther) {
  // Ready at 6, 10, 12 s of the backward pass, they take 30, 20, 10 s.
  expect_step(6 + 6 + 60 + 0.5, small_job(), two_ranks(10), Condition::node);
  // 9, 6, 3 s: until 15, 21, 24.
  expect_step(6 + 24 + 0.5, small_job(), two_ranks(100.0 / 3), Condition::node);
}

TEST(Simulate, KnownBucketsGoOutWhenTheirBytesAreThere) {
  StepJob job = small_job();
  job.buckets = {250, 350};  // the first is full with the last layer's gradients, the second with the first's
  expect_step(6 + std::max(6 + 25.0, 12.0) + 35 + 0.5, job, two_ranks(10), Condition::node);
}

TEST(Simulate, HiddenCommunicationMayCostAShareAllTheSame) {
  Cluster cluster = two_ranks(100);  // 6 s of transfers, 1 s of them exposed
  cluster.node_costs.overlap_ratio = 0.4;
  EXPECT_NEAR(simulate_step_s(small_job(), cluster, Condition::node), kCompute_s + 1 + 0.4 * 5, 1e-9);
  EXPECT_NEAR(simulate_step_s(small_job(), cluster, Condition::apart), kCompute_s, 1e-9);
}

TEST(Simulate, RanksWaitForTheSlowestOnlyWhereTheySend) {
  Cluster cluster = two_ranks(kNoLimit);
  cluster.node_costs.wait_ratio = 0.1;
  StepJob job = small_job();
  job.accumulation = 3;
  EXPECT_NEAR(simulate_step_s(job, cluster, Condition::apart), 36 + kCompute_s, 1e-9);
  EXPECT_NEAR(simulate_step_s(job, cluster, Condition::node), 36 + 1.1 * kCompute_s, 1e-9);
}

TEST(Simulate, BlockingAllReducesAreWaitedForOneByOne) {
  StepJob job = small_job();
  job.blocking_calls = 3;
  Cluster cluster = two_ranks(kNoLimit);
  cluster.collective_s = 0.125;
  expect_step(kCompute_s + 0.125 + 3 * 0.125, job, cluster, Condition::node);  // the last bucket's is exposed too
  expect_step(kCompute_s, job, cluster, Condition::apart);
}

TEST(Simulate, GradientsAreSummedInTheLastMicroBatchOnly) {
  StepJob job = small_job();
  job.accumulation = 3;
  job.overhead_s = 0.25;
  expect_step(0.25 + 2 * 18 + kCompute_s, job, two_ranks(100), Condition::apart);
  expect_step(0.25 + 2 * 18 + kCompute_s + 1, job, two_ranks(100), Condition::node);
}

TEST(Simulate, NodesMeetOverTheNetwork) {
  Cluster cluster = two_ranks(600);
  cluster.nodes = 2;
  cluster.network_bytes_per_s = 100;
  cluster.network_latency_s = 0.125;
  cluster.all_reduce = AllReduce::hierarchical;
  // Inside half of the bytes at 600 B/s, twice; across two hops, and half of the bytes on each of two lanes of 50 B/s.
  const double second_s = 200.0 / 600 + 0.25 + 2, third_s = 100.0 / 600 + 0.25 + 1;
  expect_step(6 + 10 + second_s + third_s + 0.5, small_job(), cluster, Condition::joined);
  expect_step(kCompute_s + 100.0 / 600, small_job(), cluster, Condition::node);
}

TEST(Simulate, ContentionSlowsAllThatComputes) {
  Cluster cluster = two_ranks(kNoLimit);
  cluster.contention_ratio = 1.5;
  expect_step(kCompute_s, small_job(), cluster, Condition::solo);
  expect_step(1.5 * kCompute_s, small_job(), cluster, Condition::apart);
}

TEST(Simulate, CopiesAreAddedUnlessTheyOverlap) {
  StepJob job = small_job();
  job.sample_device_bytes = 10;
  Cluster cluster = two_ranks(kNoLimit);
  cluster.copy_bytes_per_s = 20;
  expect_step(kCompute_s + 2, job, cluster, Condition::staged);
  cluster.ranks_per_uplink = 2;
  cluster.uplink_bytes_per_s = 10;
  expect_step(kCompute_s + 8, job, cluster, Condition::staged);
  cluster.copies_overlap = true;
  expect_step(kCompute_s, job, cluster, Condition::staged);
  cluster.uplink_bytes_per_s = 4;
  expect_step(20, job, cluster, Condition::staged);
}

TEST(Simulate, ALateRankKeepsAllWaiting) {
  Cluster cluster = two_ranks(100);
  cluster.nodes = 3;
  cluster.late_s = {{3, 2.0}, {5, 1.0}};
  expect_step(kCompute_s, small_job(), cluster, Condition::solo);
  expect_step(kCompute_s + 2, small_job(), cluster, Condition::apart);
  expect_step(kCompute_s + 2 + 1, small_job(), cluster, Condition::node);
  cluster.late_s = {{2, 2.0}};
  expect_step(kCompute_s + 2, small_job(), cluster, Condition::solo);
  EXPECT_EQ(simulate_ledger(small_job(), cluster).late_rank,
            (LateRank{.rank = 2, .condition = Condition::solo, .s = 2, .cause = LateCause::compute}));
}

StepJob job_with_input(const StepInput& input) {
  StepJob job = small_job();
  job.input = input;
  return job;
}

TEST(Simulate, InputIsBoundByWorkers) {
  const StepJob job = job_with_input({.sample_cpu_s = 12, .workers = 2, .prefetch = 3});
  expect_step(4 * 12 / 2, job, two_ranks(kNoLimit), Condition::hot);
  expect_step(kCompute_s, job_with_input({.sample_cpu_s = 9, .workers = 2}), two_ranks(kNoLimit), Condition::hot);
}

TEST(Simulate, InputIsBoundByTheCoresOfANode) {
  Cluster cluster = two_ranks(kNoLimit);
  cluster.cores = 2;
  const StepJob job = job_with_input({.sample_cpu_s = 6, .workers = 4, .prefetch = 3});
  expect_step(2 * 4 * 6 / 2, job, cluster, Condition::hot);
  cluster.cores = 1.5;
  expect_step(2 * 4 * 6 / 1.5, job, cluster, Condition::hot);
  cluster.cores = 0.5;
  expect_step(2 * 4 * 6 / 0.5, job, cluster, Condition::hot);
}

TEST(Simulate, InputIsBoundByTheStorageOfANode) {
  Cluster cluster = two_ranks(kNoLimit);
  cluster.storage_bytes_per_s = 100;
  const StepJob job = job_with_input({.sample_storage_bytes = 400, .sample_cpu_s = 1, .workers = 4, .prefetch = 3});
  expect_step(kCompute_s, job, cluster, Condition::hot);
  expect_step(2 * 4 * 400 / 100, job, cluster, Condition::cold);
  cluster.storage_per_rank = true;
  cluster.storage_bytes_per_s = 50;
  expect_step(4 * 400 / 50, job, cluster, Condition::cold);
}

TEST(Simulate, AWorkerReadsAndThenDecodes) {
  Cluster cluster;
  cluster.storage_bytes_per_s = 100;
  const StepJob job = job_with_input({.sample_storage_bytes = 500, .sample_cpu_s = 5, .workers = 1});
  expect_step(4 * 5, job, cluster, Condition::hot);
  expect_step(4 * (5 + 5), job, cluster, Condition::cold);
}

TEST(Simulate, ACachedShareIsNotRead) {
  Cluster cluster;
  cluster.storage_bytes_per_s = 100;
  const StepJob job = job_with_input({.sample_storage_bytes = 1000, .sample_cpu_s = 1, .workers = 3, .prefetch = 4});
  EXPECT_DOUBLE_EQ(simulate_cached_s(job, cluster, 0), simulate_step_s(job, cluster, Condition::cold));
  EXPECT_DOUBLE_EQ(simulate_cached_s(job, cluster, 1), simulate_step_s(job, cluster, Condition::hot));
  EXPECT_DOUBLE_EQ(simulate_cached_s(job, cluster, 0.25), 4 * 10 * 0.75);
  // Drawn sample by sample: the average of some thousands, the same for a seed.
  const double drawn_s = simulate_cached_s(job, cluster, 0.25, kByEvents);
  EXPECT_NEAR(drawn_s, 30, 0.03 * 30);
  EXPECT_EQ(drawn_s, simulate_cached_s(job, cluster, 0.25, kByEvents));
  StepJob other = job;
  other.seed = 2;
  EXPECT_NE(drawn_s, simulate_cached_s(other, cluster, 0.25, kByEvents));
}

TEST(Simulate, AQueueOfOneBatchMakesWorkersWaitForTheirLast) {
  // Three workers, four samples: two rounds, and the next batch is begun when this one is taken.
  expect_step(24, job_with_input({.sample_cpu_s = 12, .workers = 3, .prefetch = 1}), {}, Condition::hot);
}

TEST(Simulate, EventByEventIsTheSameAsTheFewEventsThatDecide) {
  Draw draw(1);
  for (int i = 0; i < 400; ++i) {
    StepJob job = random_job(draw);
    job.accumulation = draw.coin() ? 1 : draw.whole(2, 4);
    const Cluster cluster = random_cluster(draw);
    for (const Condition condition : kConditions) {
      const double quick_s = simulate_step_s(job, cluster, condition);
      EXPECT_NEAR(simulate_step_s(job, cluster, condition, kByEvents), quick_s, 1e-9 * quick_s)
          << "case " << i << " " << to_string(condition);
      EXPECT_NEAR(simulate_step_s(job, cluster, condition, kByEventsOfEveryRank), quick_s, 1e-9 * quick_s)
          << "every rank, case " << i << " " << to_string(condition);
    }
  }
}

TEST(Simulate, PartsSumToTheStepToTheLastBit) {
  Draw draw(2);
  for (int i = 0; i < 200; ++i) {
    const StepJob job = random_job(draw);
    const Cluster cluster = random_cluster(draw);
    const Ledger ledger = simulate_ledger(job, cluster);
    double sum_s = 0;
    for (const auto& part : ledger.parts) sum_s += part ? part->s : 0;
    EXPECT_EQ(sum_s, ledger.step.s);
    EXPECT_EQ(ledger.step, ledger.step_by_condition.rbegin()->second);
    EXPECT_NEAR(ledger.step.s, simulate_step_s(job, cluster, Condition::cold), 1e-12 * ledger.step.s);
  }
}

TEST(Simulate, PresentPartsAreThoseOfTheRuler) {
  for (const int nodes : {1, 2}) {
    for (const int per_node : {1, 2}) {
      Cluster cluster;
      cluster.nodes = nodes;
      cluster.ranks_per_node = per_node;
      Job job;
      job.ranks = nodes * per_node;
      job.device = "emulated:V100";
      EXPECT_EQ(present_conditions(job_with_input({}), cluster), present_conditions(job, nodes));
      job.device = "cuda";
      cluster.copy_bytes_per_s = 1e9;
      EXPECT_EQ(present_conditions(job_with_input({}), cluster), present_conditions(job, nodes));
      const Ledger ledger = simulate_ledger(job_with_input({}), cluster);
      EXPECT_EQ(ledger[Part::network].has_value(), nodes > 1);
      EXPECT_EQ(ledger[Part::contention].has_value(), per_node > 1);
    }
  }
  EXPECT_FALSE(simulate_ledger(small_job(), {})[Part::prep]);
}

TEST(Simulate, AFasterMachineIsNeverSlower) {
  Draw draw(3);
  for (int i = 0; i < 300; ++i) {
    StepJob job = random_job(draw);
    job.input->prefetch = 2;
    job.input->workers = std::min(job.input->workers, job.batch);
    const Cluster cluster = random_cluster(draw);
    Cluster faster = cluster;
    faster.link_bytes_per_s *= draw.between(1, 3);
    faster.uplink_bytes_per_s *= draw.between(1, 3);
    faster.network_bytes_per_s *= draw.between(1, 3);
    faster.storage_bytes_per_s *= draw.between(1, 3);
    if (faster.copy_bytes_per_s) *faster.copy_bytes_per_s *= draw.between(1, 3);
    faster.cores = std::ceil(faster.cores) * draw.whole(1, 3);
    for (const Condition condition : kConditions) {
      const double s = simulate_step_s(job, cluster, condition);
      EXPECT_LE(simulate_step_s(job, faster, condition), s * (1 + 1e-12)) << "case " << i << to_string(condition);
    }
  }
}

TEST(Simulate, ConditionsOnlyAddTime) {
  Draw draw(4);
  for (int i = 0; i < 300; ++i) {
    Cluster cluster = random_cluster(draw);
    cluster.all_reduce = AllReduce::ring;
    const Ledger ledger = simulate_ledger(random_job(draw), cluster);
    for (const Part part : kParts) {
      if (ledger[part] && part != Part::network) {
        EXPECT_GE(ledger[part]->s, -1e-9 * ledger.step.s) << to_string(part);
      }
    }
  }
}

TEST(Simulate, FiguresThatMakeNoSenseAreNamed) {
  const auto message = [](const StepJob& job, const Cluster& cluster) {
    return message_of([&] { simulate_ledger(job, cluster); });
  };
  Cluster cluster = two_ranks(0);
  EXPECT_NE(message(small_job(), cluster).find("link_bytes_per_s = 0"), std::string::npos);
  cluster = two_ranks(std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(message(small_job(), cluster).find("link_bytes_per_s = nan"), std::string::npos);
  cluster = two_ranks(1);
  cluster.late_s[2] = 1;
  EXPECT_NE(message(small_job(), cluster).find("a late rank = 2"), std::string::npos);
  cluster = two_ranks(1);
  cluster.nodes = 1 << 30;
  EXPECT_NE(message(small_job(), cluster).find("nodes x ranks_per_node"), std::string::npos);
  StepJob job = small_job();
  job.layers[1].backward_s = -1;
  EXPECT_NE(message(job, {}).find("backward_s = -1"), std::string::npos);
  job = small_job();
  job.layers[1].gradient_bytes = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(message(job, {}).find("gradient_bytes"), std::string::npos);
  EXPECT_NE(message(job_with_input({.workers = 0}), {}).find("workers = 0"), std::string::npos);
  EXPECT_NE(message({}, {}).find("without layers"), std::string::npos);
  EXPECT_THROW(simulate_cached_s(small_job(), {}, 0.5), Error);
  EXPECT_THROW(simulate_cached_s(job_with_input({}), {}, 1.5), Error);
}

}  // namespace
}  // namespace stash
