#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/plan/gpt_plan.h"
#include "stash/plan/plan_worth.h"

namespace stash {

// What the search may try. A value that is given is kept.
struct GptSearch {
  std::optional<int> data{};
  std::optional<int> tensor{};
  std::optional<int> pipeline{};
  std::optional<int> shards{};
  std::optional<int> interleave{};
  std::optional<int> micro_batch{};
  std::optional<Recompute> recompute{};
  std::optional<bool> sequence_parallel{};
  std::optional<bool> shard_optimizer{};
};

// A plan with the 95 % interval of its step.
struct RankedPlan {
  GptPlan plan{};
  GptStep step{};
  double low_s = 0;
  double high_s = 0;
  bool may_not_fit() const { return step.memory_ratio > 1; }  // by an estimate that is high
};

struct RejectedPlan {
  GptPlan plan{};
  std::string why{};
  double missing_bytes = 0;  // of a GPU's memory
};

struct GptPlans {
  std::vector<RankedPlan> plans{};       // the fastest first
  std::vector<RejectedPlan> rejected{};  // of each split the one that needs the least
  int tried = 0;
  std::string binding{};  // what keeps the best plan from being faster
  std::vector<PlanWorth> worth{};
};

// All plans that fit, best first, and at most `most` of them. UsageError for what is given and cannot be.
GptPlans search_plans(const GptJob& job, const GptSearch& search, int most);

// UsageError for what is given and cannot be, whatever else is chosen: it names the nearest that can.
void check_given(const GptJob& job, const GptSearch& search);

// Error where nothing fits: how much is missing and the smallest change that fits.
[[noreturn]] void throw_no_plan(const GptPlans& plans, const GptJob& job, const GptSearch& search);

// What binds the best plan, and what more of each resource would bring: searches again with it.
void explain(GptPlans& plans, const GptJob& job, const GptSearch& search);

// Of a step, by how far published steps are from what is predicted.
RankedPlan ranked(const GptJob& job, const GptPlan& plan, const GptStep& step);

// Layers of each stage that keep stages of different speed equally busy.
std::vector<int> balanced_layers(const GptJob& job, GptPlan plan, GptStepper& stepper);

}  // namespace stash
