#pragma once

#include <optional>

#include "stash/import/operator_inputs.h"
#include "stash/import/operator_kinds.h"
#include "stash/import/parameter_pool.h"
#include "stash/models/graph.h"

namespace stash {

// What is known of the pass that an operator belongs to.
struct OperatorPlace {
  int batch = 0;        // samples; 0: unknown
  bool trains = false;  // something before it is learned: its input needs a gradient
  ParameterPool& parameters;
};

// An operator of a forward pass as a layer of a built-in model would be, its costs for one sample.
struct OperatorLayer {
  Layer layer;
  WorkClass kind = WorkClass::memory;
  bool follows_batch = true;
};

// nullopt: it does no work that counts, or its arguments do not tell. Takes its parameters from the pool.
std::optional<OperatorLayer> layer_of_operator(const KnownOperator& known, const OperatorInputs& inputs,
                                               const OperatorPlace& place);

// One that is not known, from all that it reads and writes.
std::optional<OperatorLayer> layer_of_inputs(const OperatorInputs& inputs, const OperatorPlace& place);

// What an operator reads, and writes where that is as large as the largest of it; whole.
double elements_of(const OperatorInputs& inputs);

}  // namespace stash
