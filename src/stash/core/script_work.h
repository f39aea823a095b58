#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// Kinds of work in a step. `memory` is what memory limits; `gap` is time in which nothing computes.
enum class WorkClass { matrix, convolution, attention, memory, reduction, optimizer, gap };
inline constexpr std::array kWorkClasses{WorkClass::matrix, WorkClass::convolution, WorkClass::attention,
                                         WorkClass::memory, WorkClass::reduction,   WorkClass::optimizer,
                                         WorkClass::gap};
std::string_view to_string(WorkClass kind);
constexpr auto every(WorkClass) { return kWorkClasses; }

enum class WorkPass { forward, backward, update };
std::string_view to_string(WorkPass pass);
constexpr std::array<WorkPass, 3> every(WorkPass) { return {WorkPass::forward, WorkPass::backward, WorkPass::update}; }

// How a script's optimizer goes over its parameters.
enum class UpdateKind { sgd, momentum, adam };
std::string_view to_string(UpdateKind kind);
constexpr std::array<UpdateKind, 3> every(UpdateKind) {
  return {UpdateKind::sgd, UpdateKind::momentum, UpdateKind::adam};
}

// All work of one kind, type and pass in a step.
struct WorkRow {
  WorkClass kind = WorkClass::memory;
  std::string dtype;             // empty: none, or several
  std::optional<WorkPass> pass;  // absent: gaps
  double s = 0;
  double operations = 0;
  double bytes = 0;
  std::int64_t launches = 0;  // kernels; without a GPU calls of operators
  bool operator==(const WorkRow&) const = default;
};

// An operator of the forward pass and what it causes in the backward pass; costs are those of one sample.
struct WorkLayer {
  std::string name;                                   // torch's
  std::string op;                                     // kind of layer, as built-in models have them
  std::vector<std::int64_t> output;                   // shape
  std::vector<std::vector<std::int64_t>> parameters;  // shapes, weight first
  bool shares_weight = false;                         // with an earlier layer
  std::string dtype;
  int kernel = 1;
  int kernel_width = 1;
  int stride = 1;
  int groups = 1;
  int index = 0;
  int heads = 1;
  bool causal = false;
  double forward_ops = 0;
  double backward_ops = 0;
  double forward_elements = 0;
  double backward_elements = 0;
  double forward_s = 0;  // a whole pass, as recorded
  double backward_s = 0;
  bool operator==(const WorkLayer&) const = default;
};

// What a step of a script consists of, recorded by torch's profiler on rank 0.
struct ScriptWork {
  int steps = 0;          // recorded
  double step_s = 0;      // their mean, with the profiler on
  bool on_gpu = false;    // times are those of kernels; else of operators on the CPU
  bool compiled = false;  // parts of it, by torch.compile
  int batch = 0;          // samples of a pass; 0: unknown, and the costs of layers are those of a whole pass
  int passes = 1;         // forward and backward, in a step
  std::optional<UpdateKind> optimizer;
  std::optional<double> sample_bytes;  // of a batch that the loader gives, per sample
  double fixed_ratio = 0;              // of the operations: in products whose size does not follow the batch
  double unsized_ratio = 0;            // of the time: in kernels of which no size is known
  std::vector<WorkRow> rows;
  std::vector<WorkLayer> layers;  // of one pass, in the order of the forward pass
  bool operator==(const ScriptWork&) const = default;
};

}  // namespace stash
