#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/core/script_work.h"
#include "stash/import/read_work.h"
#include "stash/import/work_trace.h"

namespace stash {

// Work that no layer of the forward pass stands for.
struct LooseWork {
  WorkClass kind = WorkClass::memory;
  WorkPass pass = WorkPass::backward;
  std::string dtype;
  double s = 0;
  double bytes = 0;
  std::int64_t launches = 0;
};

// A layer while its step is read.
struct StepLayerSeen {
  WorkLayer layer;
  WorkClass kind = WorkClass::memory;
  bool follows_batch = true;
  bool compiled = false;
  std::int64_t forward_launches = 0, backward_launches = 0;
};

// One recorded step, operator by operator.
struct StepOperators {
  std::vector<StepLayerSeen> layers;  // of all its passes
  std::vector<LooseWork> loose;
  int passes = 1;
  bool on_gpu = false;
  bool compiled = false;
  double s = 0;
  double busy_s = 0;     // in which something computes or communicates
  double unsized_s = 0;  // in kernels of which no size is known
  std::optional<UpdateKind> optimizer;
  std::vector<Dims> parameters_left;  // that no operator was seen to read
};

StepOperators operators_of(const WorkTrace& trace, const Interval& step, const WorkFacts& facts);

// "float" as fp32; empty: no type that something computes in.
std::string dtype_name(std::string_view torch_type);

}  // namespace stash
