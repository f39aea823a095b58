#include "stash/predict/calibrate_measured.h"

#include <gtest/gtest.h>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/models/models.h"
#include "stash/predict/predict.h"
#include "stash/predict/predicted_step.h"
#include "stash/predict/simulate.h"
#include "support/any_contains.h"

namespace stash {
namespace {

PredictJob vgg() {
  PredictJob job;
  job.graph = make_model("vgg11");
  job.batch = 32;
  return job;
}

// How a scripted world differs from what is expected of it.
struct Truth {
  double compute = 1;
  double links = 1;
  double network = 1;
};

double alone_s(const PredictJob& job, const char* gpu) {
  return scaled_times(job.graph, job.batch, job.dtype, find_gpu(gpu)).compute_s();
}

// What a stopwatch would show there.
MeasuredStep step_in(const Truth& truth, const PredictJob& job, const char* instance, int gpus, int nodes = 1) {
  MeasuredStep measured{.instance = find_instance(instance), .nodes = nodes, .gpus_per_node = gpus};
  Cluster cluster = describe_cluster(measured.instance, nodes, gpus, {}).cluster;
  scale_links(cluster, truth.links, truth.network);
  const Gpu& gpu = *known_gpu(measured.instance);
  const StepOnGpu one{&gpu, truth.compute * alone_s(job, gpu.name.c_str()), job.batch, job.dtype};
  const ScaledTimes times = scaled_times(job.graph, one, job.batch, job.dtype, gpu);
  measured.step_s = simulate_step_s(predicted_step(job, times, cluster, 1), cluster, Condition::joined);
  return measured;
}

Prediction calibrated(const PredictJob& job, const char* instance, int nodes = 1) {
  return std::get<Prediction>(Predictor(job).on(find_instance(instance), nodes));
}

}  // namespace

TEST(CalibrateMeasured, StepsOnOneAndOnAllGpusGiveComputeAndLinks) {
  for (const Truth truth : {Truth{1.3, 0.1}, Truth{0.8, 0.03}, Truth{1, 0.05}, Truth{2.2, 0.02}}) {
    PredictJob job = vgg();
    job.measured = {step_in(truth, job, "p3.16xlarge", 1), step_in(truth, job, "p3.16xlarge", 8)};
    const Calibration found(job);
    EXPECT_NEAR(*found.step_s("V100"), truth.compute * alone_s(job, "V100"), 0.01 * alone_s(job, "V100"));
    ASSERT_NE(found.links("nvlink"), nullptr);
    EXPECT_NEAR(found.links("nvlink")->value, truth.links, 0.05 * truth.links);
    EXPECT_LT(found.links("nvlink")->log_spread, 0.1);
    EXPECT_NEAR(calibrated(job, "p3.16xlarge").ledger.step.s, job.measured[1].step_s, 0.01 * job.measured[1].step_s);
  }
}

TEST(CalibrateMeasured, AStepAcrossNodesGivesTheNetwork) {
  const Truth truth{1.1, 0.3, 0.5};
  PredictJob job = vgg();
  job.measured = {step_in(truth, job, "p3.8xlarge", 1), step_in(truth, job, "p3.8xlarge", 4),
                  step_in(truth, job, "p3.8xlarge", 4, 2)};
  const Calibration found(job);
  ASSERT_NE(found.links(kNetworkLinks), nullptr);
  EXPECT_NEAR(found.links(kNetworkLinks)->value, 0.5, 0.03);
  const double there_s = step_in(truth, job, "p3.16xlarge", 8, 2).step_s;  // another machine of the same kinds
  EXPECT_NEAR(calibrated(job, "p3.16xlarge", 2).ledger.step.s, there_s, 0.05 * there_s);
}

TEST(CalibrateMeasured, AStepWhoseLinksHideTellsAboutComputeAlone) {
  PredictJob job;
  job.graph = make_model("resnet50");
  job.batch = 64;
  job.measured = {step_in({.compute = 1.25}, job, "p3.16xlarge", 8)};
  const Calibration found(job);
  EXPECT_NEAR(*found.step_s("V100"), 1.25 * alone_s(job, "V100"), 0.04 * alone_s(job, "V100"));
  EXPECT_NEAR(found.links("nvlink")->value, 1, 0.02);
}

// Links that carry an eighth were the answer before, though ranks that wait for each other are far likelier.
TEST(CalibrateMeasured, WhatLinksHardlyExplainIsWhatRanksCostEachOther) {
  PredictJob job;
  job.graph = make_model("resnet50");
  job.batch = 64;
  const auto measured = [](const char* instance, int gpus, double step_s) {
    return MeasuredStep{.instance = find_instance(instance), .gpus_per_node = gpus, .step_s = step_s};
  };
  job.measured = {measured("g5.xlarge", 1, 0.25), measured("g5.12xlarge", 4, 0.29)};
  const Calibration found(job);
  EXPECT_GT(found.links("pcie")->value, 0.5);
  ASSERT_NE(found.beside(), nullptr);
  EXPECT_GT(found.beside()->value, 1.05);
  const Prediction there = calibrated(job, "g5.12xlarge");
  EXPECT_NEAR(there.ledger.step.s, 0.29, 0.003);
  EXPECT_TRUE(any_contains(there.assumptions, "ranks beside each other compute"));
  EXPECT_GT(there.ledger[Part::contention]->s, 0.01);
}

TEST(CalibrateMeasured, AMeasuredNetworkIsKnownBetter) {
  PredictJob job = vgg();
  const auto width = [&] {
    const Estimate network = *calibrated(job, "p3.8xlarge", 2).ledger[Part::network];
    return (network.high_s - network.low_s) / network.s;
  };
  job.measured = {step_in({}, job, "p3.8xlarge", 4)};
  const double before = width();
  job.measured.push_back(step_in({}, job, "p3.8xlarge", 4, 2));
  EXPECT_LT(width(), before / 2);
}

TEST(CalibrateMeasured, AStepOnOneGpuSaysNothingOfLinks) {
  PredictJob job = vgg();
  job.measured = {step_in({.compute = 1.4}, job, "p3.16xlarge", 1)};
  const Calibration found(job);
  EXPECT_EQ(found.links("nvlink"), nullptr);
  const Prediction there = calibrated(job, "p3.16xlarge");
  EXPECT_FALSE(any_contains(there.assumptions, "by the measured steps"));
}

TEST(CalibrateMeasured, LinksOfAnotherKindStayAsTheyWere) {
  PredictJob job = vgg();
  const double before_s = calibrated(job, "p2.8xlarge").ledger[Part::interconnect]->s;
  PredictJob with = job;
  with.measured = {step_in({1, 0.05}, job, "p3.16xlarge", 1), step_in({1, 0.05}, job, "p3.16xlarge", 8)};
  EXPECT_NEAR(calibrated(with, "p2.8xlarge").ledger[Part::interconnect]->s, before_s, 0.2 * before_s);
  EXPECT_FALSE(any_contains(calibrated(with, "p2.8xlarge").assumptions, "carries"));
  const Prediction same_kind = calibrated(with, "p3.8xlarge");
  EXPECT_TRUE(any_contains(same_kind.assumptions, "every machine with nvlink"));
  EXPECT_GT(same_kind.ledger[Part::interconnect]->s, 3 * calibrated(job, "p3.8xlarge").ledger[Part::interconnect]->s);
}

TEST(CalibrateMeasured, IntervalsShrink) {
  PredictJob job = vgg();
  const Truth truth{1, 0.1};
  const auto width = [](const Estimate& time) { return (time.high_s - time.low_s) / time.s; };
  const double before = width(calibrated(job, "p3.16xlarge").ledger.step);
  job.measured = {step_in(truth, job, "p3.16xlarge", 1), step_in(truth, job, "p3.16xlarge", 8)};
  EXPECT_LT(width(calibrated(job, "p3.16xlarge").ledger.step), before / 3);
  EXPECT_LT(width(calibrated(job, "p3.8xlarge").ledger.step), before / 3);
}

TEST(CalibrateMeasured, TheGpuThatWasMeasuredCountsBeforeAnother) {
  PredictJob job = vgg();
  job.measured = {step_in({.compute = 1.5}, job, "p2.xlarge", 1), step_in({.compute = 0.9}, job, "p3.2xlarge", 1)};
  EXPECT_NEAR(calibrated(job, "p3.2xlarge").ledger.step.s, job.measured[1].step_s, 0.01 * job.measured[1].step_s);
  EXPECT_NEAR(calibrated(job, "p2.xlarge").ledger.step.s, job.measured[0].step_s, 0.01 * job.measured[0].step_s);
}

TEST(CalibrateMeasured, AQuestionChangesThePredictionAndNotTheMeasuredStep) {
  PredictJob job = vgg();
  job.measured = {step_in({.compute = 1.2}, job, "p3.2xlarge", 1)};
  WhatIf what_if;
  what_if.batch = 64;
  const auto found = Predictor(job, what_if).on(find_instance("p3.2xlarge"), 1);
  PredictJob twice = vgg();
  twice.batch = 64;
  EXPECT_NEAR(std::get<Prediction>(found).ledger.step.s, 1.2 * alone_s(twice, "V100"), 0.02 * alone_s(twice, "V100"));
}

TEST(CalibrateMeasured, AMachineOfWhichTooLittleIsKnownIsRefused) {
  PredictJob job = vgg();
  MeasuredStep measured = step_in({}, job, "p3.8xlarge", 4);
  measured.instance.gpu = "Imaginary";
  job.measured = {measured};
  EXPECT_THROW(Calibration{job}, UsageError);
  measured = step_in({}, job, "p3.8xlarge", 4);
  measured.nodes = 2;
  measured.instance.network_bytes_per_s.reset();
  measured.instance.network_burst_bytes_per_s.reset();
  job.measured = {measured};
  EXPECT_THROW(Calibration{job}, UsageError);
}

}  // namespace stash
