#include "stash/predict/loader_cost.h"

#include <gtest/gtest.h>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/models/models.h"
#include "stash/predict/predict.h"
#include "support/any_contains.h"

namespace stash {
namespace {

PredictJob small_images() {
  PredictJob job;
  job.graph = make_model("squeezenet1_0");
  job.batch = 64;
  job.sample = SampleCost{.storage_bytes = 110e3, .cpu_s = 10e-3};
  return job;
}

Estimate prep_of(const PredictJob& job) {
  return *std::get<Prediction>(Predictor(job).on(find_instance("p3.2xlarge"), 1)).ledger[Part::prep];
}

}  // namespace

TEST(LoaderCost, PrepGrowsWithTheLoadersCpuTime) {
  PredictJob job = small_images();
  const double own_s = prep_of(job).s;
  use_loader(job, find_loader("stash"), find_loader("torchvision"));
  EXPECT_NEAR(job.sample->cpu_s, 32.8e-3, 2e-3);
  EXPECT_GT(own_s, 0);
  EXPECT_GT(prep_of(job).s, 3 * own_s);  // the step without input hides a part of it only once
  EXPECT_TRUE(any_contains(job.assumptions, "prep assumes torchvision"));
}

TEST(LoaderCost, AProfileOfAnotherLoaderScalesBack) {
  PredictJob job = small_images();
  use_loader(job, find_loader("torchvision"), find_loader("stash"));
  EXPECT_NEAR(job.sample->cpu_s, 10e-3 / find_loader("torchvision").cpu_ratio, 1e-9);
  EXPECT_TRUE(any_contains(job.assumptions, "prep assumes Stash's own loader"));
}

TEST(LoaderCost, WithoutASampleOrImagesItHasNoMeaning) {
  PredictJob job = small_images();
  job.sample.reset();
  EXPECT_THROW(use_loader(job, find_loader("stash"), find_loader("dali")), UsageError);
  job = small_images();
  job.graph = make_model("gpt2");
  EXPECT_THROW(use_loader(job, find_loader("stash"), find_loader("dali")), UsageError);
}

}  // namespace stash
