#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stash::testing_support {

// What torch.profiler writes of an operator's arguments with record_shapes=True.
struct MadeArguments {
  std::vector<std::vector<int>> tensors = {};  // empty: the argument is none
  std::vector<std::string> values = {};        // of those that are no tensors
  std::optional<int> sequence = {};
  const char* type = "float";  // of the tensors
};

// A few recorded steps of a training with known answers: times in microseconds. Calls of operators lie inside those
// whose time holds theirs; a kernel belongs to the operator before it in the trace.
class MadeWorkTrace {
 public:
  MadeWorkTrace& step(double start_us, double us) {
    return event("user_annotation", fmt::format("ProfilerStep#{}", ++steps_), 1, start_us, us, "");
  }
  MadeWorkTrace& op(std::string_view name, double start_us, double us, const MadeArguments& arguments = {}) {
    return call("cpu_op", name, 1, start_us, us, arguments);
  }
  // A part of the program that is no operator, such as an optimizer's step.
  MadeWorkTrace& mark(std::string_view name, double start_us, double us) {
    return call("user_annotation", name, 1, start_us, us, {});
  }
  // On the thread that autograd has beside the script's own where there is a GPU.
  MadeWorkTrace& backward(std::string_view node, double start_us, double us, int sequence) {
    const std::string name = fmt::format("autograd::engine::evaluate_function: {}", node);
    return call("cpu_op", name, 2, start_us, us, {.sequence = sequence});
  }
  MadeWorkTrace& backward_op(std::string_view name, double start_us, double us, const MadeArguments& arguments = {}) {
    return call("cpu_op", name, 2, start_us, us, arguments);
  }
  MadeWorkTrace& kernel(std::string_view name, double start_us, double us) {
    return event("kernel", name, 0, start_us, us, fmt::format("\"External id\": {}", calls_));
  }
  MadeWorkTrace& copy(double start_us, double us) {
    return event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, start_us, us, "\"stream\": 7");
  }

  std::string text() const { return fmt::format("{{\n  \"traceEvents\": [{}\n  ]\n}}\n", events_); }

 private:
  MadeWorkTrace& call(std::string_view category, std::string_view name, int thread, double start_us, double us,
                      const MadeArguments& arguments) {
    std::vector<std::string> dims, types, values;
    for (std::size_t i = 0; i < std::max(arguments.tensors.size(), arguments.values.size()); ++i) {
      const bool is_tensor = i < arguments.tensors.size() && !arguments.tensors[i].empty();
      dims.push_back(is_tensor ? fmt::format("[{}]", fmt::join(arguments.tensors[i], ", ")) : "[]");
      types.push_back(fmt::format("\"{}\"", is_tensor ? arguments.type : "Scalar"));
      values.push_back(fmt::format("\"{}\"", i < arguments.values.size() ? arguments.values[i] : ""));
    }
    std::string rest = fmt::format("\"External id\": {}", ++calls_);
    if (arguments.sequence) rest += fmt::format(", \"Sequence number\": {}", *arguments.sequence);
    rest += fmt::format(", \"Input Dims\": [{}], \"Input type\": [{}], \"Concrete Inputs\": [{}]",
                        fmt::join(dims, ", "), fmt::join(types, ", "), fmt::join(values, ", "));
    return event(category, name, thread, start_us, us, rest);
  }

  MadeWorkTrace& event(std::string_view category, std::string_view name, int thread, double start_us, double us,
                       std::string_view arguments) {
    events_ += fmt::format(
        "{}\n  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": 99, \"tid\": {},\n    \"ts\": "
        "{:.3f}, \"dur\": {:.3f},\n    \"args\": {{{}}}\n  }}",
        events_.empty() ? "" : ",", category, name, thread, start_us, us, arguments);
    return *this;
  }

  std::string events_;
  std::int64_t calls_ = 0;
  int steps_ = 0;
};

}  // namespace stash::testing_support
