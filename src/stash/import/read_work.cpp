#include "stash/import/read_work.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "stash/core/error.h"
#include "stash/import/step_operators.h"
#include "stash/models/graph.h"

namespace stash {
namespace {

constexpr std::size_t kMostLayers = 20'000;  // of a pass; the simulator takes no more than a few times that

bool is_same_operator(const StepLayerSeen& a, const StepLayerSeen& b) {
  return a.layer.name == b.layer.name && a.layer.output == b.layer.output;
}

bool are_same(const std::vector<StepLayerSeen>& a, const std::vector<StepLayerSeen>& b) {
  return std::ranges::equal(a, b, is_same_operator);
}

void add_times(StepLayerSeen& to, const StepLayerSeen& from) {
  to.layer.forward_s += from.layer.forward_s;
  to.layer.backward_s += from.layer.backward_s;
  to.forward_launches += from.forward_launches;
  to.backward_launches += from.backward_launches;
}

void divide_times(StepLayerSeen& seen, int by) {
  seen.layer.forward_s /= by;
  seen.layer.backward_s /= by;
  seen.forward_launches /= by;
  seen.backward_launches /= by;
}

// Of a step with several micro-batches one is kept, with the mean of their times. Where they differ, the step counts as
// one pass.
void keep_one_pass(StepOperators& step) {
  const auto passes = static_cast<std::size_t>(step.passes);
  const std::size_t each = step.layers.size() / passes;
  bool alike = step.layers.size() == each * passes;
  for (std::size_t i = each; alike && i < step.layers.size(); ++i) {
    alike = is_same_operator(step.layers[i], step.layers[i % each]);
  }
  if (!alike) {
    step.passes = 1;
    return;
  }
  for (std::size_t i = each; i < step.layers.size(); ++i) add_times(step.layers[i % each], step.layers[i]);
  step.layers.resize(each);
  for (StepLayerSeen& seen : step.layers) divide_times(seen, step.passes);
}

// Parameters that no operator was seen to read are added somewhere: tokens and positions that come first.
void place_left_parameters(StepOperators& step) {
  if (step.layers.empty()) return;
  for (Dims& shape : step.parameters_left) step.layers.front().layer.parameters.push_back(std::move(shape));
}

double parameter_bytes(const WorkLayer& layer) {
  double elements = 0;
  for (const Dims& shape : layer.parameters) elements += static_cast<double>(element_count_of(shape));
  return kParameterBytes * elements;
}

struct WorkAmount {
  double s = 0;
  double operations = 0;
  double bytes = 0;
  std::int64_t launches = 0;
};

// Sums by class, type and pass, in the order of the classes.
class WorkRows {
 public:
  void add(WorkClass kind, const std::string& dtype, std::optional<WorkPass> pass, const WorkAmount& more) {
    WorkRow& row = rows_[{kind, pass ? static_cast<int>(*pass) : -1, dtype}];
    row.kind = kind;
    row.dtype = dtype;
    row.pass = pass;
    row.s += more.s;
    row.operations += more.operations;
    row.bytes += more.bytes;
    row.launches += more.launches;
  }

  std::vector<WorkRow> all() const {
    std::vector<WorkRow> rows;
    for (const auto& [key, row] : rows_) rows.push_back(row);
    return rows;
  }

 private:
  std::map<std::tuple<WorkClass, int, std::string>, WorkRow> rows_;
};

std::vector<WorkRow> rows_of(const StepOperators& step, int samples) {
  WorkRows rows;
  const double passes = step.passes, batch = samples * passes;
  for (const StepLayerSeen& seen : step.layers) {
    const WorkLayer& layer = seen.layer;
    const double bytes = layer.dtype == "fp16" || layer.dtype == "bf16" ? 2 : 4;
    const double own = parameter_bytes(layer) * passes;
    rows.add(seen.kind, layer.dtype, WorkPass::forward,
             {.s = layer.forward_s * passes,
              .operations = layer.forward_ops * batch,
              .bytes = layer.forward_elements * bytes * batch + own,
              .launches = seen.forward_launches * step.passes});
    if (layer.backward_s <= 0 && layer.backward_ops <= 0 && layer.backward_elements <= 0) continue;
    rows.add(seen.kind, layer.dtype, WorkPass::backward,
             {.s = layer.backward_s * passes,
              .operations = layer.backward_ops * batch,
              .bytes = layer.backward_elements * bytes * batch + 2 * own,
              .launches = seen.backward_launches * step.passes});
  }
  for (const LooseWork& loose : step.loose) {
    rows.add(loose.kind, loose.dtype, loose.pass,
             {.s = loose.s, .operations = 0, .bytes = loose.bytes, .launches = loose.launches});
  }
  rows.add(WorkClass::gap, "", std::nullopt, {std::max(0.0, step.s - step.busy_s)});
  return rows.all();
}

double fixed_ratio(const StepOperators& step) {
  double all = 0, fixed = 0;
  for (const StepLayerSeen& seen : step.layers) {
    const double ops = seen.layer.forward_ops + seen.layer.backward_ops;
    all += ops;
    if (!seen.follows_batch) fixed += ops;
  }
  return all > 0 ? fixed / all : 0;
}

// The mean of steps that do the same; of others the last.
StepOperators typical(std::vector<StepOperators> steps, int& counted) {
  StepOperators last = std::move(steps.back());
  steps.pop_back();
  counted = 1;
  for (const StepOperators& other : steps) {
    if (!are_same(other.layers, last.layers) || other.passes != last.passes) continue;
    ++counted;
    for (std::size_t i = 0; i < last.layers.size(); ++i) add_times(last.layers[i], other.layers[i]);
    for (const LooseWork& loose : other.loose) last.loose.push_back(loose);
    last.s += other.s;
    last.busy_s += other.busy_s;
    last.unsized_s += other.unsized_s;
  }
  for (StepLayerSeen& seen : last.layers) divide_times(seen, counted);
  for (LooseWork& loose : last.loose) {
    loose.s /= counted;
    loose.bytes /= counted;
  }
  std::erase_if(last.loose, [](const LooseWork& loose) { return loose.s <= 0 && loose.bytes <= 0; });
  last.s /= counted;
  last.busy_s /= counted;
  last.unsized_s /= counted;
  return last;
}

}  // namespace

ScriptWork read_work(const std::filesystem::path& path, const WorkFacts& facts) {
  const WorkTrace trace = read_work_trace(path);
  std::vector<StepOperators> steps;
  for (const Interval& step : trace.steps) {
    StepOperators operators = operators_of(trace, step, facts);
    if (!operators.layers.empty()) steps.push_back(std::move(operators));
  }
  if (steps.empty()) throw Error("no operator of a forward pass is in the recorded steps");
  ScriptWork work;
  StepOperators step = typical(std::move(steps), work.steps);
  keep_one_pass(step);
  if (step.layers.size() > kMostLayers) throw Error("its steps have too many operators to sum up");
  place_left_parameters(step);
  work.step_s = step.s;
  work.on_gpu = step.on_gpu;
  work.compiled = step.compiled;
  work.batch = facts.batch.value_or(0);
  work.passes = step.passes;
  work.optimizer = step.optimizer;
  work.sample_bytes = facts.sample_bytes;
  work.fixed_ratio = fixed_ratio(step);
  work.unsized_ratio = step.s > 0 ? step.unsized_s / step.s : 0;
  work.rows = rows_of(step, std::max(1, work.batch));
  for (StepLayerSeen& seen : step.layers) work.layers.push_back(std::move(seen.layer));
  return work;
}

}  // namespace stash
