#include <gtest/gtest.h>

#include "own_profile.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/models/models.h"
#include "stash/predict/other_ranks.h"
#include "stash/predict/predict.h"
#include "stash/predict/saving.h"
#include "stash/predict/simulate.h"
#include "support/any_contains.h"
#include "support/message_of.h"

namespace stash {
namespace {

Prediction here(const Profile& profile, const WhatIf& what_if = {}) {
  return Predictor(job_of_profile(profile), what_if).here();
}

double compute_of(const Graph& graph, int batch, DType dtype, const char* gpu) {
  return scaled_times(graph, batch, dtype, find_gpu(gpu)).compute_s();
}

// A machine with two ranks, a ring and one late rank on the second node.
DescribedCluster two_nodes_of_two() {
  DescribedCluster described;
  described.contention_is_known = true;
  Cluster& cluster = described.cluster;
  cluster.nodes = 2;
  cluster.ranks_per_node = 2;
  cluster.contention_ratio = 1.2;
  cluster.measured_node = LinkFit{.latency_s = 2e-5, .bytes_per_s = 10e9};
  cluster.measured_joined = LinkFit{.latency_s = 2e-4, .bytes_per_s = 2e9};
  cluster.late_s = {{0, 0.5}, {3, 0.25}};
  return described;
}

}  // namespace

TEST(SetJob, AnotherBatchAndTypeOfAnEmulatedGpuAreThatGpusOwnEstimate) {
  const Profile profile = own_profile();
  const Graph graph = make_model("resnet18");
  for (const int batch : {8, 32, 128}) {
    WhatIf what_if;
    what_if.batch = batch;
    const Prediction said = here(profile, what_if);
    EXPECT_NEAR(said.ledger[Part::compute]->s, compute_of(graph, batch, DType::fp32, "V100"), 1e-6) << batch;
    EXPECT_EQ(said.batch, batch);
    what_if.dtype = DType::fp16;
    const Prediction half = here(profile, what_if);
    EXPECT_NEAR(half.ledger[Part::compute]->s, compute_of(graph, batch, DType::fp16, "V100"), 1e-6) << batch;
    EXPECT_EQ(half.dtype, "fp16");
  }
}

TEST(SetJob, APlacementSaysWhichGpusAndHowMany) {
  EXPECT_EQ(question_of({"placement=0,3,5,6"}).ranks, 4);
  for (const char* wrong : {"placement=", "placement=0,0", "placement=0,,1", "placement=-1", "placement=a"}) {
    EXPECT_THROW(question_of({wrong}), UsageError) << wrong;
  }
  EXPECT_EQ(message_of([] { question_of({"ranks=2", "placement=0,1"}); }),
            "--set placement says how many ranks a node has: leave --set ranks out");
  Predictor predictor(job_of_profile(own_profile()), question_of({"placement=6,9"}));
  const auto found = predictor.on(find_instance("p3.16xlarge"), 1, {});
  EXPECT_EQ(std::get<Rejected>(found).why, "has 8 GPUs per node, numbered from 0: --set placement names GPU 9");
}

TEST(SetJob, TheSameBatchAndTypeChangeNothing) {
  const Prediction before = here(own_profile()), after = here(own_profile(), question_of({"batch=16", "dtype=fp32"}));
  EXPECT_DOUBLE_EQ(after.ledger.step.s, before.ledger.step.s);
  EXPECT_DOUBLE_EQ(after.ledger.step.high_s, before.ledger.step.high_s);
}

TEST(SetJob, AnotherBatchIsLessCertain) {
  const Estimate before = *here(own_profile()).ledger[Part::compute];
  const Estimate twice = *here(own_profile(), question_of({"batch=32"})).ledger[Part::compute];
  const Estimate far = *here(own_profile(), question_of({"batch=256"})).ledger[Part::compute];
  EXPECT_GT(twice.high_s / twice.s, before.high_s / before.s + 0.05);
  EXPECT_GT(far.high_s / far.s, twice.high_s / twice.s);
}

TEST(SetJob, AccumulationAddsPassesAndSendsGradientsOnce) {
  const Ledger once = here(own_profile()).ledger;
  const Prediction four = here(own_profile(), question_of({"accumulation=4"}));
  EXPECT_EQ(four.accumulation, 4);
  EXPECT_GT(four.ledger[Part::compute]->s, 3 * once[Part::compute]->s);
  EXPECT_LT(four.ledger[Part::compute]->s, 4 * once[Part::compute]->s);  // one optimizer step
  EXPECT_NEAR(four.ledger[Part::interconnect]->s, once[Part::interconnect]->s, 1e-3);
}

TEST(SetJob, LinksStayAsTheProfileFoundThemWithAnotherBatch) {
  Profile profile = own_profile();
  profile.job.inject = {};
  for (const std::int64_t bytes : {1000, 100'000, 10'000'000}) {
    const double s = 1e-4 + static_cast<double>(bytes) / 20e9;  // far too quick for a stall of 20 ms
    profile.links.push_back({.scope = "node", .op = "allreduce", .ranks = 2, .bytes = bytes, .repeats = 3, .s = s});
  }
  const double as_measured_s = here(profile).ledger[Part::interconnect]->s;
  EXPECT_NEAR(as_measured_s, 0.020, 1e-4);
  const double small_s = here(profile, question_of({"batch=8"})).ledger[Part::interconnect]->s;
  EXPECT_GT(small_s, as_measured_s);  // a shorter backward pass hides less
  EXPECT_LT(small_s, 2 * as_measured_s);
}

// Links were fitted to a stall that blocking calls would have been a part of.
TEST(SetJob, BlockingCallsAddToTheStallThatWasMeasured) {
  Profile profile = own_profile();
  profile.job.inject = {};
  for (const std::int64_t bytes : {1000, 100'000, 10'000'000}) {
    const double s = 1e-3 + static_cast<double>(bytes) / 5e9;
    profile.links.push_back({.scope = "node", .op = "allreduce", .ranks = 2, .bytes = bytes, .repeats = 3, .s = s});
  }
  const double as_measured_s = here(profile).ledger[Part::interconnect]->s;
  const double one_s = here(profile, question_of({"blocking=1"})).ledger[Part::interconnect]->s - as_measured_s;
  EXPECT_GT(one_s, 1e-4);
  EXPECT_NEAR(here(profile, question_of({"blocking=3"})).ledger[Part::interconnect]->s, as_measured_s + 3 * one_s,
              1e-6);
}

TEST(SetJob, AJobThatNoLongerFitsSaysWhatIsMissing) {
  EXPECT_NE(message_of([] { here(own_profile(), question_of({"batch=4096"})); }).find("are missing"),
            std::string::npos);
  EXPECT_NE(message_of([] { here(own_profile(), question_of({"dtype=bf16"})); }).find("does not compute with bf16"),
            std::string::npos);
  EXPECT_TRUE(any_contains(here(own_profile(), question_of({"batch=800"})).assumptions, "it may not fit"));
}

TEST(SetJob, OtherRanksUseTheHopsThatWereMeasured) {
  DescribedCluster described = two_nodes_of_two();
  use_ranks(described, 4);
  const Cluster& cluster = described.cluster;
  EXPECT_EQ(cluster.ranks_per_node, 4);
  EXPECT_FALSE(cluster.measured_node || cluster.measured_joined);
  EXPECT_DOUBLE_EQ(cluster.link_latency_s, 1e-5);      // two hops
  EXPECT_DOUBLE_EQ(cluster.link_bytes_per_s, 10e9);    // 2 (n - 1) / n = 1
  EXPECT_DOUBLE_EQ(cluster.network_bytes_per_s, 3e9);  // six hops of a quarter each
  EXPECT_NEAR(cluster.network_latency_s, (2e-4 - 4e-5) / 2, 1e-12);
  EXPECT_NEAR(cluster.contention_ratio, 1.6, 1e-12);
  EXPECT_TRUE(any_contains(described.assumptions, "more than the 2 ranks measured is not known"));
  EXPECT_EQ(cluster.late_s, (std::map<int, double>{{0, 0.5}, {5, 0.25}}));
}

TEST(SetJob, AsManyRanksAsMeasuredChangeNothing) {
  DescribedCluster described = two_nodes_of_two();
  use_ranks(described, 2);
  EXPECT_TRUE(described.cluster.measured_node && described.cluster.measured_joined);
  EXPECT_TRUE(described.assumptions.empty());
}

TEST(SetJob, OneRankPerNodeHasNoInterconnectAndItsOwnLateRank) {
  DescribedCluster described = two_nodes_of_two();
  use_ranks(described, 1);
  EXPECT_EQ(described.cluster.contention_ratio, 1);
  EXPECT_EQ(described.cluster.late_s, (std::map<int, double>{{0, 0.5}}));
  const Prediction one = here(own_profile(), question_of({"ranks=1"}));
  EXPECT_FALSE(one.ledger[Part::interconnect]);
  EXPECT_EQ(one.gpus, 1);
}

TEST(SetJob, RanksWithoutAMeasuredLinkAreRefused) {
  Profile alone = own_profile();
  alone.job.ranks = 1;
  alone.job.inject.link_bytes_per_s.reset();
  for (Window& window : alone.windows) window.ranks.resize(1);
  std::erase_if(alone.windows, [](const Window& window) {
    return window.condition == Condition::apart || window.condition == Condition::node;
  });
  EXPECT_NE(message_of([&] { here(alone, question_of({"ranks=2"})); }).find("--set links=RATE"), std::string::npos);
  const Prediction two = here(alone, question_of({"ranks=2", "links=10GB/s"}));
  EXPECT_EQ(two.gpus, 2);
  EXPECT_FALSE(two.ledger[Part::contention]);
  EXPECT_TRUE(any_contains(two.assumptions, "contention is not known"));
}

TEST(SetJob, OnAMachineRanksAreTheGpusUsedOnEachNode) {
  PredictJob job;
  job.graph = make_model("resnet18");
  Predictor two(job, question_of({"ranks=2", "batch=64"}));
  const Prediction said = std::get<Prediction>(two.on(find_instance("p3.8xlarge"), 2));
  EXPECT_EQ(said.gpus, 4);
  EXPECT_EQ(said.batch, 64);
  Predictor many(job, question_of({"ranks=8"}));
  EXPECT_NE(std::get<Rejected>(many.on(find_instance("p3.8xlarge"), 1)).why.find("needs 4 more"), std::string::npos);
}

TEST(SetJob, ASavingComparesEqualNumbersOfSamples) {
  Prediction before, after;
  before.batch = 32;
  after.batch = 64;
  before.gpus = after.gpus = 4;
  before.ledger.step = {0.1, 0.1, 0.1};
  after.ledger.step = {0.15, 0.15, 0.15};
  const Saving saving = saving_of(before, after);
  EXPECT_DOUBLE_EQ(saving.samples_ratio, 2);
  EXPECT_NEAR(saving.step_s, 0.05, 1e-12);
  EXPECT_FALSE(saving.epoch_s);
}

TEST(SetJob, ValuesThatMakeNoSenseAreRefused) {
  WhatIf what_if;
  for (const char* text :
       {"batch=0", "batch=-1", "batch=1.5", "batch=1e3", "batch=1048577", "batch=", "dtype=int8", "accumulation=0",
        "accumulation=65537", "ranks=0", "ranks=5000", "rank=2", "workers=2.5", "workers=0"}) {
    EXPECT_THROW(set(what_if, text), UsageError) << text;
  }
  EXPECT_THROW(question_of({"batch=2", "batch=4"}), UsageError);
  const auto message = [&](const char* text) { return message_of<UsageError>([&] { set(what_if, text); }); };
  EXPECT_EQ(message("batch=64x"), "--set batch=64x: takes a whole number from 1 to 1048576");
  EXPECT_EQ(message("dtype=tf32"), "unknown --set dtype 'tf32'; known are fp32, fp16, bf16");
}

TEST(SetJob, AMachineWithTooFewGpusSaysSoInGoodGrammar) {
  PredictJob job;
  job.graph = make_model("resnet18");
  const auto why = [&](const char* instance, int nodes, int gpus) {
    return std::get<Rejected>(Predictor(job).on(find_instance(instance), nodes, gpus)).why;
  };
  EXPECT_EQ(why("8x-3090", 1, 9), "has 8 GPUs per node: 1 node cannot give --gpus 9");
  EXPECT_EQ(why("p3.2xlarge", 2, 5), "has 1 GPU per node: 2 nodes cannot give --gpus 5");
}

TEST(SetJob, BlockingCallsAndGradientsOneByOneCostTimeOnTheLinks) {
  PredictJob job;
  job.graph = make_model("resnet18");
  job.batch = 32;
  const auto node_s = [&](std::vector<std::string> changes) {
    const auto found = Predictor(job, what_if_of(changes)).on(find_instance("p3.16xlarge"), 1);
    return std::get<Prediction>(found).ledger.step_by_condition.at(Condition::node).s;
  };
  const double in_buckets_s = node_s({});
  EXPECT_GT(node_s({"bucket=0"}), in_buckets_s);
  const double one_call_s = node_s({"blocking=1"}) - in_buckets_s;
  EXPECT_GT(one_call_s, 0);
  EXPECT_NEAR(node_s({"blocking=3"}) - in_buckets_s, 3 * one_call_s, 1e-9);
}

TEST(SetJob, GatheringBeginsWhenTheBackwardPassEnds) {
  PredictJob job;
  job.graph = make_model("vgg16");
  const auto setting = Predictor(job, question_of({"reduce=gather"})).setting_on(find_instance("8x-3090"), 1, 2);
  const Setting& gathers = std::get<Setting>(setting);
  ASSERT_EQ(gathers.step.buckets.size(), 1U);
  const double bytes = static_cast<double>(gathers.step.buckets[0]);
  EXPECT_DOUBLE_EQ(bytes, 4.0 * 138'357'544);  // VGG-16's parameters
  const Cluster& cluster = gathers.described.cluster;
  const auto step_s = [&](Condition condition) { return simulate_step_s(gathers.step, cluster, condition); };
  EXPECT_GT(step_s(Condition::node) - step_s(Condition::apart), 2 * bytes / cluster.host_bytes_per_s);
}

TEST(SetJob, HowGradientsAreSummedIsAQuestionForMachinesOfTheCatalogue) {
  const std::string message = message_of<UsageError>([] { here(own_profile(), question_of({"reduce=server"})); });
  EXPECT_NE(message.find("--on"), std::string::npos);
}

}  // namespace stash
