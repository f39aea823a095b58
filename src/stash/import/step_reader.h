#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "stash/import/operator_layer.h"
#include "stash/import/step_operators.h"
#include "stash/import/step_parts.h"

namespace stash {

// One step to layers of its forward pass with what they cause in the backward pass. Used once.
class StepReader {
 public:
  StepReader(const WorkTrace& trace, const Interval& step, const WorkFacts& facts);
  StepOperators read();

 private:
  // A compiled kernel's arguments are all that it reads and all that it writes.
  static constexpr double kOnlyOnce = 0.5;

  const TracedOp& op(std::size_t i) const { return parts_.op(i); }

  // forward_layers.cpp
  void read_forward();
  bool take_forward(std::size_t i);
  bool is_spelled_out(std::size_t i) const;
  void push(std::size_t i, const OperatorInputs& inputs, OperatorLayer made);
  std::string computed_in(std::size_t i, const OperatorInputs& inputs) const;
  void order_by_time();
  void note_sequences();

  // backward_layers.cpp
  void read_backward();
  LaunchedWork backward_work(std::size_t node) const;
  void give_backward(std::size_t node, std::size_t owner);
  void drop_what_does_not_train();

  // compiled_layers.cpp
  void read_compiled_backward(std::size_t node);
  void push_backward_kernel(std::size_t i, const LaunchedWork& work);
  void spread_compiled();
  void place_backward_kernels();
  void add_unsized();

  // step_operators.cpp
  void add_loose(std::size_t from, std::size_t to, WorkClass kind, WorkPass pass);
  void read_update();

  const StepParts parts_;
  const int batch_;
  ParameterPool pool_;
  StepOperators result_;
  bool trains_ = false;
  std::vector<std::size_t> first_op_;  // by layer
  std::unordered_map<std::int64_t, std::size_t> layer_of_sequence_;
  std::unordered_set<std::size_t> has_backward_;  // layers
  std::map<WorkClass, LaunchedWork> pools_;       // of compiled backward passes
  std::vector<StepLayerSeen> backward_kernels_;   // that torch.compile wrote
  double unsized_backward_s_ = 0;
};

// The type of the first tensor that has one; empty: there is none.
std::string dtype_of(const OperatorInputs& inputs);

}  // namespace stash
