#include "stash/serve/batching/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::int64_t kMs = 1'000'000;

ServedModel flat_model(std::string name, double s) {
  const TensorSpec spec{.name = "x", .type = find_tensor_type("FP32"), .shape = {1}};
  return {.name = std::move(name),
          .platform = "test",
          .input = spec,
          .output = spec,
          .times = BatchTimes({{1, s}}),
          .load_s = 0.1};
}

// A scheduler in simulated time, whose device is done when it says.
class SimulatedServer {
 public:
  explicit SimulatedServer(const ServeSettings& settings) : scheduler(world(), settings) {}

  void run_until(std::int64_t end_ns) {
    for (;;) {
      scheduler.advance();
      const std::int64_t next = std::max(scheduler.next_ns(), now);
      if (next > end_ns) break;
      now = next;
    }
    now = end_ns;
  }

  PendingRequest& send(std::string_view model, std::int64_t at_ns) {
    run_until(at_ns);
    PendingRequest& request = requests.emplace_back();
    request.queue = scheduler.find(model);
    request.tensor = {reinterpret_cast<const char*>(&requests.back().deadline_ns), 4};
    request.times.begun_ns = request.times.arrived_ns = now;
    const Refusal refusal = scheduler.submit(request);
    if (refusal.status != 0) refused.push_back(&request);
    scheduler.advance();
    return request;
  }

  std::int64_t now = 0;
  std::int64_t finish = 0;
  std::int64_t extra_ns = 0;  // that the device takes beyond T(b)
  std::deque<PendingRequest> requests;
  std::vector<PendingRequest*> answered, refused;
  Scheduler scheduler;

 private:
  SchedulerWorld world() {
    return {.now_ns = [this] { return now; },
            .start = [this](std::int64_t start_ns, std::int64_t work_ns,
                            CompletionWay) { finish = start_ns + work_ns + extra_ns; },
            .is_noticed = [this](std::int64_t at_ns) { return at_ns >= finish; },
            .finish_ns = [this] { return finish; },
            .look_ns = [this] { return finish; },
            .done =
                [this](PendingRequest& request, const Refusal& refusal) {
                  request.times.answered_ns = now;
                  (refusal.status == 0 ? answered : refused).push_back(&request);
                }};
  }
};

std::int64_t part_ns(const PendingRequest& request, RequestPart part) {
  return parts_of(request.times)[static_cast<std::size_t>(part)].value_or(-1);
}

TEST(Scheduler, WhatComesDuringABatchIsTheNextOne) {
  SimulatedServer server({.most_batch = 8});
  server.scheduler.add(flat_model("m", 0.010));
  const PendingRequest& first = server.send("m", 0);
  for (int i = 1; i <= 3; ++i) server.send("m", i * kMs);
  server.run_until(100 * kMs);
  ASSERT_EQ(server.answered.size(), 4U);
  EXPECT_EQ(first.times.batch_rows, 1);
  EXPECT_EQ(server.requests[1].times.batch_rows, 3);
  EXPECT_EQ(part_ns(server.requests[1], RequestPart::queue), 9 * kMs);
  EXPECT_EQ(part_ns(server.requests[1], RequestPart::batch_wait), 0);
  EXPECT_EQ(part_ns(server.requests[1], RequestPart::compute), 10 * kMs);
}

TEST(Scheduler, AFixedBatchIsWaitedForThoughTheDeviceIsFree) {
  SimulatedServer server({.batching = BatchingWay::fixed, .most_batch = 8, .batch_timeout_s = 0.005});
  server.scheduler.add(flat_model("m", 0.010));
  const PendingRequest& only = server.send("m", 0);
  server.run_until(100 * kMs);
  EXPECT_EQ(part_ns(only, RequestPart::batch_wait), 5 * kMs);
  EXPECT_EQ(part_ns(only, RequestPart::queue), 0);
}

TEST(Scheduler, PartsAddUpToTheLatencyWhateverComes) {
  SimulatedServer server({.input = InputWay::gather, .reload = ReloadWay::stop, .objective_s = 0.2, .most_batch = 4});
  server.scheduler.add(flat_model("a", 0.010));
  server.scheduler.add(flat_model("b", 0.003));
  std::mt19937 random(5);
  std::int64_t at = 0;
  for (int i = 0; i < 2000; ++i) {
    at += static_cast<std::int64_t>(random() % 8) * kMs / 2;
    if (i % 100 == 50) server.scheduler.find("a")->load(at, ReloadWay::stop);
    server.send(random() % 3 == 0 ? "a" : "b", at);
  }
  server.run_until(at + 1000 * kMs);
  EXPECT_EQ(server.answered.size() + server.refused.size(), 2000U);
  std::int64_t reloads = 0;
  for (const PendingRequest* const one : server.answered) {
    std::int64_t sum = 0;
    for (const auto& part : parts_of(one->times)) {
      EXPECT_GE(part.value_or(0), 0);
      sum += part.value_or(0);
    }
    EXPECT_EQ(sum, one->times.answered_ns - one->times.begun_ns);
    reloads += part_ns(*one, RequestPart::reload) > 0 ? 1 : 0;
  }
  EXPECT_GT(reloads, 10);
}

TEST(Scheduler, WhoeverIsAcceptedMeetsTheObjective) {
  SimulatedServer server({.objective_s = 0.050, .most_batch = 8});
  server.scheduler.add(flat_model("m", 0.010));
  std::mt19937 random(5);
  std::exponential_distribution<double> gap(2000);  // the device can do 800 per second
  double at_s = 0;
  for (int i = 0; i < 4000; ++i) server.send("m", static_cast<std::int64_t>((at_s += gap(random)) * 1e9));
  server.run_until(10'000 * kMs);
  EXPECT_EQ(server.answered.size() + server.refused.size(), 4000U);
  for (const PendingRequest* const one : server.answered) {
    EXPECT_LE(one->times.answered_ns - one->times.begun_ns, 50 * kMs);
  }
  EXPECT_GT(static_cast<double>(server.answered.size()) / at_s, 780);  // batches are full
}

TEST(Scheduler, ADeviceSlowerThanItSaidRefusesInsteadOfAnsweringLate) {
  SimulatedServer server({.objective_s = 0.025, .most_batch = 8});
  server.scheduler.add(flat_model("m", 0.010));
  server.extra_ns = 20 * kMs;
  server.send("m", 0);
  server.send("m", 1 * kMs);
  server.run_until(100 * kMs);
  ASSERT_EQ(server.refused.size(), 1U);
  EXPECT_EQ(server.refused.front(), &server.requests[1]);
}

TEST(Scheduler, TheModelWithTheLeastTimeLeftIsNext) {
  SimulatedServer server({.most_batch = 8});
  for (const char* name : {"a", "b", "c"}) server.scheduler.add(flat_model(name, 0.010));
  server.send("a", 0);
  server.send("c", 1 * kMs);
  server.send("b", 2 * kMs);
  server.run_until(100 * kMs);
  ASSERT_EQ(server.answered.size(), 3U);
  EXPECT_EQ(server.answered[1]->queue->model().name, "c");
  EXPECT_EQ(server.answered[2]->queue->model().name, "b");
}

TEST(Scheduler, AReloadThatSwapsHoldsNobodyUpAndOneThatStopsDoes) {
  for (const ReloadWay way : {ReloadWay::swap, ReloadWay::stop}) {
    SimulatedServer server({.reload = way, .most_batch = 8});
    server.scheduler.add(flat_model("m", 0.010));
    server.scheduler.find("m")->load(0, way);
    const PendingRequest& one = server.send("m", 20 * kMs);
    server.run_until(500 * kMs);
    EXPECT_EQ(one.times.answered_ns, (way == ReloadWay::swap ? 30 : 110) * kMs);
    EXPECT_EQ(part_ns(one, RequestPart::reload), way == ReloadWay::swap ? -1 : 80 * kMs);
    EXPECT_EQ(server.scheduler.find("m")->counts.loads, 2U);
  }
}

TEST(Scheduler, ARequestThatIsWithdrawnLeavesTheQueueButNotABatch) {
  SimulatedServer server({.most_batch = 8});
  server.scheduler.add(flat_model("m", 0.010));
  PendingRequest& in_batch = server.send("m", 0);
  PendingRequest& waits = server.send("m", 1 * kMs);
  EXPECT_FALSE(server.scheduler.withdraw(in_batch));
  EXPECT_TRUE(server.scheduler.withdraw(waits));
  server.run_until(100 * kMs);
  EXPECT_EQ(server.answered.size(), 1U);
}

TEST(Scheduler, ARequestLargerThanABatchMayNowBeGoesAlone) {
  SimulatedServer server({.most_batch = 8});
  server.scheduler.add(flat_model("m", 0.010));
  server.send("m", 0);
  PendingRequest& large = server.requests.emplace_back();
  large.queue = server.scheduler.find("m");
  large.times.rows = 6;
  large.times.begun_ns = large.times.arrived_ns = server.now;
  EXPECT_EQ(server.scheduler.submit(large).status, 0);
  server.scheduler.set({.objective_s = 1, .most_batch = 4});
  server.run_until(100 * kMs);
  EXPECT_EQ(server.answered.size(), 2U);
  EXPECT_EQ(large.times.batch_rows, 6);
}

TEST(Scheduler, TwoModelsOfOneNameAreRefused) {
  SimulatedServer server({});
  server.scheduler.add(flat_model("m", 0.010));
  EXPECT_THROW(server.scheduler.add(flat_model("m", 0.010)), UsageError);
}

}  // namespace
}  // namespace stash
