#pragma once

#include <string>
#include <vector>

#include "stash/core/profile.h"

namespace stash {

// A script of two ranks that trains one linear layer with a ReLU behind it, 8 samples of 16 values to 4; its steps took
// 100 ms, of which 10 are gaps.
inline ScriptWork script_work() {
  ScriptWork work;
  work.steps = 2;
  work.step_s = 0.1;
  work.on_gpu = true;
  work.batch = 8;
  work.optimizer = UpdateKind::momentum;
  WorkLayer linear;
  linear.name = "aten::linear";
  linear.op = "linear";
  linear.output = {4};
  linear.parameters = {{4, 16}, {4}};
  linear.dtype = "fp32";
  linear.forward_ops = 128;
  linear.backward_ops = 128;
  linear.forward_elements = 20;
  linear.backward_elements = 20;
  linear.forward_s = 0.02;
  linear.backward_s = 0.04;
  WorkLayer relu = linear;
  relu.name = "aten::relu";
  relu.op = "relu";
  relu.parameters = {};
  relu.forward_ops = relu.backward_ops = 0;
  relu.forward_s = relu.backward_s = 0.005;
  work.layers = {linear, relu};
  work.rows = {{WorkClass::matrix, "fp32", WorkPass::forward, 0.02, 1024, 640, 1},
               {WorkClass::matrix, "fp32", WorkPass::backward, 0.04, 1024, 640, 2},
               {WorkClass::memory, "fp32", WorkPass::forward, 0.005, 0, 256, 1},
               {WorkClass::memory, "fp32", WorkPass::backward, 0.005, 0, 256, 1},
               {WorkClass::optimizer, "fp32", WorkPass::update, 0.02, 0, 800, 1},
               {WorkClass::gap, "", std::nullopt, 0.01, 0, 0, 0}};
  return work;
}

inline Profile script_profile() {
  Profile profile;
  profile.job.model.clear();
  profile.job.command = {"python", "train.py"};
  profile.job.batch = 8;
  profile.job.ranks = 2;
  profile.job.device = "cuda";
  profile.job.dtype = "fp32";
  profile.machine.gpus = {{"Tesla V100-SXM2-16GB", std::int64_t{16} << 30}};
  profile.machine.cores = 16;
  profile.work = script_work();
  profile.collectives = {{.condition = Condition::joined, .op = "allreduce", .bytes = 272, .count = 40}};
  for (int round = 0; round < 6; ++round) {
    for (const auto& [condition, step_s] :
         {std::pair{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::node, 0.12}}) {
      const RankSample sample{5 * step_s, 0, 0};
      const bool waits = condition == Condition::solo;
      profile.windows.push_back(
          {round, condition, 5, {sample, waits ? std::nullopt : std::optional(sample)}, {}, {}, {}});
    }
  }
  return profile;
}

}  // namespace stash
