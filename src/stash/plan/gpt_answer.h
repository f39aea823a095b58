#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/plan/gpt_search.h"

namespace stash {

// What the best plan is compared with: the best of plans that use less.
struct GptBaseline {
  std::string name{};
  std::optional<RankedPlan> plan{};
  std::string why_not{};  // it has no plan
};

// A stage of the best plan's pipeline: seconds per step, and bytes that a GPU needs and hands on per step.
struct PlannedStage {
  std::string machine{};
  int layers = 0;
  double compute_s = 0;
  double tensor_s = 0;
  double pipeline_s = 0;
  double memory_bytes = 0;
  double memory_ratio = 0;
  double handed_bytes = 0;
};

// All that is said of how to split a language model.
struct GptAnswer {
  GptJob job{};
  std::string devices{};  // "64xp4d.24xlarge"
  GptPlans found{};
  std::vector<PlannedStage> stages{};
  std::vector<GptBaseline> baselines{};
  std::vector<std::string> left_out{};  // machines without which it is faster
  std::vector<std::string> assumptions{};
};

// Error where nothing fits; UsageError for what is given and cannot be. `job` is complete.
GptAnswer answer_gpt(GptJob job, const GptSearch& search, int most);

// Seconds of a step by the usual parts; below them what each kind of splitting exchanges, and the pipeline's bubble.
Ledger gpt_ledger(const GptJob& job, const RankedPlan& plan);

}  // namespace stash
