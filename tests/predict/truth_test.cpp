// The simulator against what bench/truth.cpp works out for injected stalls, formula by formula.
#include "truth.h"

#include <gtest/gtest.h>

#include "stash/catalog/layer_time.h"
#include "stash/models/models.h"
#include "stash/predict/simulate.h"
#include "step_events.h"

namespace stash {
namespace {

constexpr double kSampleBytes = 110e3;

StepJob step_of(const Job& job) {
  const Graph graph = make_model(job.model, {.image_size = job.image_size, .seq_len = job.seq_len});
  const Gpu& gpu = find_gpu(job.device.gpu());
  StepJob step = make_step_job(graph, layer_times(graph, job.batch, parse_dtype(job.dtype), gpu), job.bucket_bytes);
  step.optimizer_s = optimizer_time_s(graph, gpu);
  step.batch = job.batch;
  step.input = StepInput{.sample_storage_bytes = kSampleBytes,
                         .sample_least_s = job.inject.prep_s_per_sample.value_or(0),
                         .workers = job.workers,
                         .prefetch = job.prefetch};
  return step;
}

Cluster cluster_of(const Job& job) {
  Cluster cluster;
  cluster.ranks_per_node = job.ranks;
  cluster.link_bytes_per_s = job.inject.link_bytes_per_s.value();
  cluster.storage_bytes_per_s = job.inject.read_bytes_per_s.value_or(kNoLimit);
  cluster.storage_per_rank = true;
  cluster.late_s = job.inject.rank_delay_s;
  return cluster;
}

void expect_truth(const Job& job) {
  const bench::Truth truth = bench::true_ledger(job, kSampleBytes);
  for (const bool event_by_event : {false, true}) {
    const Ledger ledger = simulate_ledger(step_of(job), cluster_of(job), event_by_event ? kByEvents : StepMethod{});
    for (const Part part : {Part::compute, Part::contention, Part::interconnect, Part::prep, Part::fetch}) {
      EXPECT_NEAR(ledger[part] ? ledger[part]->s : 0, truth.part_s(part), 1e-11 * truth.cold_s)
          << job.model << " x" << job.ranks << " " << to_string(job.inject) << " " << to_string(part)
          << (event_by_event ? " by events" : "");
    }
    EXPECT_NEAR(ledger.step.s, truth.cold_s, 1e-11 * truth.cold_s);
  }
}

TEST(Truth, EveryInjectedKindComesOutAsWorkedOut) {
  for (const char* inject :
       {"link=1Gbit/s", "link=20Gbit/s", "link=100Gbit/s,rank1=+30ms", "link=10Gbit/s,rank0=+20ms",
        "link=5Gbit/s,prep=12ms/sample", "link=5Gbit/s,read=500kB/s", "link=5Gbit/s,prep=8ms/sample,read=20MB/s",
        "link=1Gbit/s,rank1=+200ms,prep=20ms/sample,read=2MB/s"}) {
    for (const char* model : {"resnet18", "squeezenet1_0", "vgg11"}) {
      for (const int ranks : {1, 2, 3, 4}) {
        Job job;
        job.model = model;
        job.device = "emulated:V100";
        job.ranks = ranks;
        job.inject = parse_injection(inject);
        if (ranks == 1) job.inject.rank_delay_s.erase(1);
        for (const int workers : {1, 2, 4}) {
          job.workers = workers;
          expect_truth(job);
        }
      }
    }
  }
}

}  // namespace
}  // namespace stash
