#pragma once

#include <optional>
#include <string_view>

#include "stash/core/script_work.h"
#include "stash/models/graph.h"

namespace stash {

// How an operator's arguments tell its size.
enum class OperatorForm {
  convolution,     // input, weight, bias, stride, padding, dilation, transposed, output padding, groups
  linear,          // input, weight, bias
  product,         // two matrices, or stacks of them
  biased_product,  // a bias before them
  attention,       // query, key, value
  norm,            // input first, weight and bias where they have one dimension
  unary,           // the output is as large as the input
  sum,             // of two
  max_pool,        // input, kernel, stride, padding, dilation, ceil
  avg_pool,        // input, kernel, stride, padding, ceil
  adaptive_pool,   // input, size
  space_mean,      // of an image
  embedding,       // rows, indices
  dropout,         // input, ratio, whether it trains
  loss,            // logits first
  cast,            // to another type
  other            // reads its inputs, and writes as much as the largest
};

struct KnownOperator {
  std::string_view name;
  OperatorForm form = OperatorForm::other;
  Op op = Op::other;
  WorkClass kind = WorkClass::memory;
};

// By torch's name, of operators that a network calls; nullptr: it has none of its own size, or is not known.
const KnownOperator* find_operator(std::string_view name);

// Whether it moves no data: views, empty tensors, the names of parts of a program.
bool moves_nothing(std::string_view name);

// Of an operator inside the backward pass or of one that is not known.
WorkClass class_of(std::string_view name);

// The kernel that torch.compile wrote; it is called with all that it reads and writes.
bool is_compiled_kernel(std::string_view name);

}  // namespace stash
