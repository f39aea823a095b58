#pragma once

#include <string>
#include <vector>

#include "stash/plan/gpt_plan.h"

namespace stash::bench {

// A published step of a GPT on A100s.
struct GptRow {
  GptJob job;
  GptPlan plan;
  double step_s = 0;
  std::string group() const;  // hidden size and layers
};

// Rows of one node are without recomputation on A100s; those of several are with it, on A100s of 80 GB and four cards
// of 200 Gbit/s.
std::vector<GptRow> read_gpt_rows(const std::string& file, bool several_nodes);

}  // namespace stash::bench
