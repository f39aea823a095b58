#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/import/work_trace.h"

namespace stash {

// Whose work an operator does. What is set aside is neither: communication, and the making of batches.
enum class StepPart { nobody, forward, backward, update, aside };

inline constexpr double kTraceTick_s = 1e-9;

// The time of operators or kernels, and how many there are.
struct LaunchedWork {
  double s = 0;
  std::int64_t count = 0;
};

// The operators of one step: which part of it each belongs to, which do something, and how long. The trace must outlive
// it.
class StepParts {
 public:
  static constexpr std::string_view kBackwardNode = "autograd::engine::evaluate_function: ";

  StepParts(const WorkTrace& trace, const Interval& step);

  std::size_t size() const { return trace_.ops.size(); }
  const TracedOp& op(std::size_t i) const { return trace_.ops[i]; }
  bool in_step(std::size_t i) const { return in_step(op(i).time); }
  StepPart of(std::size_t i) const { return parts_[i]; }
  bool on_gpu() const { return !trace_.kernels.empty(); }
  bool has_compiled_code() const { return compiled_; }
  const std::string& update_mark() const { return update_mark_; }  // empty: there is no update

  bool works(std::size_t i) const { return works_[i]; }
  bool works_inside(std::size_t i) const { return works_inside_[i]; }
  bool is_leaf(std::size_t i) const { return works_[i] && !works_inside_[i]; }
  bool is_compiled_code(std::size_t i) const;
  bool is_in_update_mark(std::size_t i) const;
  // Of an operator and all inside it: its kernels, or without a GPU its own time.
  LaunchedWork work_in(std::size_t from, std::size_t to) const;
  int count_passes() const;
  double busy_s() const;  // in which something computes or communicates

 private:
  bool in_step(const Interval& time) const {
    return time.start_ns >= window_.start_ns && time.start_ns < window_.end_ns;
  }
  void find_kernels();
  void mark_parts();
  void take_closures_out();
  void give_rest_to_update();
  void find_working();
  bool is_mark(std::size_t i) const;
  double computing_s(std::size_t i) const;

  const WorkTrace& trace_;
  const Interval window_;
  IntervalSet kernel_times_;
  std::map<std::size_t, LaunchedWork> launched_;  // by op
  std::vector<StepPart> parts_;                   // by op
  std::vector<bool> works_, works_inside_;        // by op
  std::string update_mark_;
  bool compiled_ = false;
};

}  // namespace stash
