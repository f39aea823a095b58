#include "stash/predict/predict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "own_profile.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/models/models.h"
#include "stash/predict/worth.h"
#include "support/any_contains.h"

namespace stash {
namespace {

PredictJob job_of(const char* model, int batch, DType dtype = DType::fp32) {
  PredictJob job;
  job.graph = make_model(model);
  job.batch = batch;
  job.dtype = dtype;
  return job;
}

PredictJob with_input(PredictJob job) {
  job.sample = SampleCost{.storage_bytes = 110e3, .cpu_s = 1e-3};
  job.samples = 1'281'167;
  return job;
}

Prediction predicted(PredictJob job, const char* instance, int nodes = 1, const WhatIf& what_if = {}) {
  Predictor predictor(std::move(job), what_if);
  auto result = predictor.on(find_instance(instance), nodes);
  if (auto* rejected = std::get_if<Rejected>(&result)) throw Error(rejected->why);
  return std::get<Prediction>(result);
}

std::string why_not(PredictJob job, const Instance& instance, int nodes = 1, std::optional<int> gpus = {}) {
  Predictor predictor(std::move(job));
  auto result = predictor.on(instance, nodes, gpus);
  const auto* rejected = std::get_if<Rejected>(&result);
  return rejected == nullptr ? "" : rejected->why;
}

double sum_of_parts(const Ledger& ledger) {
  double sum = 0;
  for (const auto& part : ledger.parts) sum += part ? part->s : 0;
  return sum;
}

}  // namespace

TEST(Predict, PartsSumToTheStepAndLieInTheirIntervals) {
  const Prediction prediction = predicted(with_input(job_of("resnet50", 64)), "p3.16xlarge", 2);
  const Ledger& ledger = prediction.ledger;
  EXPECT_NEAR(sum_of_parts(ledger), ledger.step.s, 1e-12);
  EXPECT_EQ(prediction.gpus, 16);
  for (const auto& part : ledger.parts) {
    if (!part) continue;
    EXPECT_LE(part->low_s, part->s);
    EXPECT_GE(part->high_s, part->s);
  }
  EXPECT_LT(ledger.step.low_s, ledger.step.s);
  EXPECT_GT(ledger.step.high_s, ledger.step.s);
  EXPECT_NEAR(*prediction.usd_per_h, 2 * 24.48, 1e-9);
}

TEST(Predict, WhatIsNotKnownIsAbsent) {
  const Ledger ledger = predicted(job_of("resnet18", 32), "p3.2xlarge").ledger;
  EXPECT_TRUE(ledger[Part::compute]);
  for (const Part part : {Part::contention, Part::interconnect, Part::network, Part::prep, Part::fetch}) {
    EXPECT_FALSE(ledger[part]) << to_string(part);
  }
}

TEST(Predict, LinksThatNobodyPublishedOrGaveAreMarked) {
  EXPECT_TRUE(predicted(job_of("resnet18", 32), "p3.8xlarge").links_known);
  EXPECT_EQ(predicted(job_of("resnet18", 32), "p3.8xlarge").links, "nvlink");
  Instance instance = find_instance("p3.8xlarge");
  instance.links.reset();
  instance.link_bytes_per_s.reset();
  Predictor as_it_is(job_of("resnet18", 32));
  EXPECT_FALSE(std::get<Prediction>(as_it_is.on(instance, 1)).links_known);
  EXPECT_TRUE(std::get<Prediction>(as_it_is.on(instance, 1, 1)).links_known);  // one GPU has no peer
  WhatIf given;
  given.link_bytes_per_s = 10e9;
  Predictor with_links(job_of("resnet18", 32), given);
  EXPECT_TRUE(std::get<Prediction>(with_links.on(instance, 1)).links_known);
}

TEST(Predict, TwoMachinesOnANetworkAreSlowerThanOneWithAsManyGpus) {
  const double two_s = predicted(job_of("vgg11", 32), "p3.8xlarge", 2).ledger.step.s;
  const double one_s = predicted(job_of("vgg11", 32), "p3.16xlarge").ledger.step.s;
  EXPECT_GT(two_s, 2 * one_s);
}

TEST(Predict, AStepMeasuredOnTheSameGpuIsThatStep) {
  PredictJob job = job_of("resnet18", 64);
  job.measured = {MeasuredStep{.instance = find_instance("p3.2xlarge"), .step_s = 0.123}};
  const Prediction prediction = predicted(std::move(job), "p3.2xlarge");
  EXPECT_NEAR(prediction.ledger.step.s, 0.123, 0.123 * 0.02);
}

TEST(Predict, AGlobalBatchBecomesPassesWhoseGradientsGoOutOnce) {
  PredictJob job = job_of("gpt:layers=12,hidden=1024,heads=16,seq=1024", 2, DType::fp16);
  const Prediction one = predicted(job, "p4d.24xlarge");
  job.global_batch = 64;
  const Prediction four = predicted(job, "p4d.24xlarge");
  EXPECT_EQ(four.accumulation, 4);
  EXPECT_GT(four.ledger.step.s, 3 * one.ledger[Part::compute]->s);
  EXPECT_NEAR(four.ledger[Part::interconnect]->s, one.ledger[Part::interconnect]->s, 1e-4);
  job.global_batch = 63;
  EXPECT_NE(why_not(job, find_instance("p4d.24xlarge")).find("no multiple"), std::string::npos);
}

TEST(Predict, MachinesThatCannotRunTheJobSayWhy) {
  EXPECT_NE(why_not(job_of("bert_large", 64), find_instance("p2.xlarge")).find("are missing"), std::string::npos);
  EXPECT_NE(why_not(job_of("resnet18", 8, DType::bf16), find_instance("p3.2xlarge")).find("bf16"), std::string::npos);
  EXPECT_NE(why_not(job_of("resnet18", 8), find_instance("p3.8xlarge"), 1, 8).find("GPUs per node"), std::string::npos);
  Instance unknown = find_instance("p3.8xlarge");
  unknown.gpu = "Imaginary";
  EXPECT_NE(why_not(job_of("resnet18", 8), unknown).find("not known"), std::string::npos);
  Instance silent = find_instance("p3.8xlarge");
  silent.network_bytes_per_s.reset();
  silent.network_burst_bytes_per_s.reset();
  EXPECT_EQ(why_not(job_of("resnet18", 8), silent), "");
  EXPECT_NE(why_not(job_of("resnet18", 8), silent, 2).find("network"), std::string::npos);
}

TEST(Predict, AFasterNetworkMoreWorkersAndMoreCacheNeverMakeItSlower) {
  const PredictJob job = with_input(job_of("resnet18", 64));
  const double base_s = predicted(job, "p3.8xlarge", 2).ledger.step.s;
  for (const char* change : {"network=100Gbit/s", "storage=10GB/s", "cores=64", "links=nvswitch", "workers=16"}) {
    EXPECT_LE(predicted(job, "p3.8xlarge", 2, question_of({change})).ledger.step.s, base_s + 1e-9) << change;
  }
  const Prediction cached = predicted(job, "p3.8xlarge", 1, question_of({"cache=500GiB"}));
  EXPECT_NEAR(cached.ledger.steady_fetch->fetch.s, 0, 1e-6);
}

TEST(Predict, OnTheProfilesOwnMachineIsWhatTheProfileFound) {
  Predictor predictor(job_of_profile(own_profile()));
  const Ledger& found = predictor.job().profile->ledger;
  const Ledger said = predictor.here().ledger;
  EXPECT_NEAR(said[Part::compute]->s, found[Part::compute]->s, 1e-6);
  EXPECT_TRUE(said[Part::contention]);
  EXPECT_TRUE(said[Part::interconnect]);
  EXPECT_NEAR(said.step_by_condition.at(Condition::cold).s, 16 * 110e3 / 20e6 + 16e-3, 2e-3);  // storage limits it
}

TEST(Predict, FromAnEmulatedProfileIsAsUncertainAsFromTheModelAlone) {
  Predictor predictor(job_of_profile(own_profile()));
  const Prediction there = std::get<Prediction>(predictor.on(find_instance("p3.2xlarge"), 1));
  const Estimate& compute = *there.ledger[Part::compute];
  EXPECT_GT(compute.high_s, 1.2 * compute.s);
  EXPECT_LT(compute.low_s, 0.85 * compute.s);
  EXPECT_TRUE(any_contains(there.assumptions, "emulated"));
  const Estimate here = *predictor.here().ledger[Part::compute];
  EXPECT_LT(here.high_s, 1.05 * here.s);
}

TEST(Predict, LinksThatWereTimedAloneAreScaledToTheStallThatWasMeasured) {
  Profile profile = own_profile();
  profile.job.inject = {};
  for (const std::int64_t bytes : {1000, 100'000, 10'000'000}) {
    const double s = 1e-4 + static_cast<double>(bytes) / 20e9;  // far too quick for a stall of 20 ms
    profile.links.push_back({.scope = "node", .op = "allreduce", .ranks = 2, .bytes = bytes, .repeats = 3, .s = s});
  }
  Predictor predictor(job_of_profile(profile));
  EXPECT_NEAR(predictor.here().ledger[Part::interconnect]->s, 0.020, 1e-4);
  Predictor in_one(job_of_profile(profile), question_of({"bucket=1GB"}));  // by what the buckets of the profile took
  EXPECT_GT(in_one.here().ledger[Part::interconnect]->s, 0.0205);
}

TEST(Predict, CopiesTakeWhatWasMeasured) {
  Profile profile = own_profile();
  profile.job.device = "cuda";
  profile.machine.gpus = {{"Tesla V100-SXM2-16GB", 17179869184}};
  std::vector<Window> staged;
  for (Window window : profile.windows) {
    if (window.condition != Condition::node) continue;
    window.condition = Condition::staged;
    for (auto& sample : window.ranks) sample->wall_s += 0.003 * window.steps;
    staged.push_back(window);
  }
  profile.windows.insert(profile.windows.end(), staged.begin(), staged.end());
  Predictor predictor(job_of_profile(profile));
  EXPECT_NEAR(predictor.here().ledger[Part::copy]->s, 0.003, 1e-6);
}

TEST(Predict, AProfileThatLacksLayersSaysWhatToMeasure) {
  Profile script = own_profile();
  script.job.command = {"python", "train.py"};
  EXPECT_THROW(job_of_profile(script), Error);
  Profile empty = own_profile();
  empty.layers.clear();
  EXPECT_THROW(job_of_profile(empty), Error);
}

TEST(Predict, AllMachinesAreTriedAndEachRejectionIsSaidOnce) {
  Predictor predictor(job_of("bert_large", 8));
  const Predictions all = predict_all(predictor, instance_table(), 4);
  EXPECT_GT(all.predictions.size(), 40U);
  EXPECT_GT(all.rejected.size(), 5U);
  for (std::size_t i = 1; i < all.rejected.size(); ++i) {
    EXPECT_FALSE(all.rejected[i].instance == all.rejected[i - 1].instance &&
                 all.rejected[i].why == all.rejected[i - 1].why);
  }
}

TEST(WhatIf, ValuesThatMakeNoSenseAreRefused) {
  WhatIf what_if;
  for (const char* text : {"network", "network=", "network=fast", "netwrk=1Gbit/s", "workers=0", "workers=-1",
                           "workers=nan", "cores=1e99", "links=string", "storage=0MB/s", "=", ""}) {
    EXPECT_THROW(set(what_if, text), UsageError) << text;
  }
}

TEST(Worth, MoreOfWhatLimitsSavesMost) {
  Predictor predictor(with_input(job_of("vgg11", 32)), question_of({"cores=64", "storage=20GB/s"}));
  const auto setting = std::get<Setting>(predictor.setting_on(find_instance("p3.8xlarge"), 2));
  const std::vector<Worth> worth = worth_of_more(setting, predictor.job());
  ASSERT_FALSE(worth.empty());
  EXPECT_EQ(worth.front().resource, "network");
  EXPECT_GT(worth.front().saved_s, 0.01);
}

TEST(Worth, NeedsOfTheInputFollowFromTheStepWithoutIt) {
  Predictor predictor(with_input(job_of("resnet18", 64)));
  const auto setting = std::get<Setting>(predictor.setting_on(find_instance("p3.2xlarge"), 1));
  const InputNeeds needs = input_needs(setting, predictor.job()).value();
  const double rate = needs.storage_bytes_per_s / 110e3;  // samples per second
  EXPECT_NEAR(needs.cores_per_gpu, rate * 1e-3, 1e-9);
  Predictor enough(with_input(job_of("resnet18", 64)),
                   question_of({fmt::format("storage={}MB/s", needs.storage_bytes_per_s * 1.1 / 1e6).c_str(),
                                "cores=64", "workers=64"}));
  const Ledger ledger = std::get<Prediction>(enough.on(find_instance("p3.2xlarge"), 1)).ledger;
  EXPECT_LT(ledger[Part::fetch]->s + ledger[Part::prep]->s, 0.02 * ledger.step.s);
}

}  // namespace stash
