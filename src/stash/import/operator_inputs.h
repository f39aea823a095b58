#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

using Dims = std::vector<std::int64_t>;

// One argument of an operator: a tensor, a list of them, or a value in words.
struct OperatorInput {
  std::vector<Dims> tensors;  // one, those of a list, or none
  std::string_view type;      // "float", "c10::BFloat16", "Scalar", …
  std::string_view value;     // "[2, 2]", "False"; empty for tensors
};

// What torch.profiler writes of an operator with record_shapes=True. Views hold as long as the text.
struct OperatorInputs {
  std::vector<OperatorInput> inputs;

  const Dims* tensor(std::size_t index) const;  // nullptr: it is none
  std::optional<double> number(std::size_t index) const;
  bool is_true(std::size_t index) const;
  // Whole numbers of a list or one of them, at most `most`; what is missing repeats the last.
  std::vector<std::int64_t> list(std::size_t index, std::size_t most, std::int64_t otherwise) const;
};

// `arguments`: an event's text behind its duration. Never throws: what cannot be read is left out.
OperatorInputs operator_inputs(std::string_view arguments);

// A whole number of the arguments, such as "External id".
std::optional<std::int64_t> argument_number(std::string_view arguments, std::string_view key);

std::int64_t element_count_of(const Dims& dims);  // at most 2^62

}  // namespace stash
