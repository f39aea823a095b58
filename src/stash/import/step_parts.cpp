#include "stash/import/step_parts.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "stash/import/kernel_names.h"
#include "stash/import/operator_kinds.h"

namespace stash {
namespace {

constexpr std::string_view kUpdate = "Optimizer.step#";
constexpr std::string_view kClearing = "Optimizer.zero_grad#";
constexpr std::array<std::string_view, 2> kCompiledForward{"CompiledFunction", "Torch-Compiled Region"};
constexpr std::array<std::string_view, 8> kAside{"c10d::",
                                                 "gloo:",
                                                 "nccl:",
                                                 "mpi:",
                                                 "ucc:",
                                                 "record_param_comms",
                                                 "enumerate(DataLoader)",
                                                 "[pl][profile]_TrainingEpochLoop.train_dataloader_next"};
constexpr std::array<std::string_view, 2> kHostCopies{"Memcpy HtoD", "Memcpy DtoH"};
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

template <std::size_t N>
bool starts_with_one_of(std::string_view name, const std::array<std::string_view, N>& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

StepParts::StepParts(const WorkTrace& trace, const Interval& step) : trace_(trace), window_(step) {
  find_kernels();
  mark_parts();
  find_working();
}

// Kernels by the operator that launched them. A kernel belongs to the step whose operator it is.
void StepParts::find_kernels() {
  std::unordered_map<std::int64_t, std::size_t> ops;
  for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
    if (op(i).external) ops.emplace(*op(i).external, i);
  }
  for (const TracedKernel& kernel : trace_.kernels) {
    const auto found = kernel.external ? ops.find(*kernel.external) : ops.end();
    const std::size_t of = found == ops.end() ? kNone : found->second;
    const bool is_here = of == kNone ? in_step(kernel.time) : in_step(op(of).time);
    if (!is_here) continue;
    kernel_times_.add(kernel.time.start_ns, kernel.time.end_ns);
    if (of == kNone || classify_kernel(kernel.name).kind == KernelKind::communication) continue;
    if (starts_with_one_of(kernel.name, kHostCopies)) continue;
    LaunchedWork& launched = launched_[of];
    launched.s += static_cast<double>(kernel.time.end_ns - kernel.time.start_ns) * kTraceTick_s;
    ++launched.count;
  }
}

LaunchedWork StepParts::work_in(std::size_t from, std::size_t to) const {
  LaunchedWork sum;
  if (!on_gpu()) {
    sum.s = computing_s(from);
    for (std::size_t i = from; i < to; ++i) sum.count += is_leaf(i) ? 1 : 0;
    return sum;
  }
  for (auto at = launched_.lower_bound(from); at != launched_.end() && at->first < to; ++at) {
    sum.s += at->second.s;
    sum.count += at->second.count;
  }
  return sum;
}

// On the CPU: an operator's time, or that of the outermost ones inside a part of the program.
double StepParts::computing_s(std::size_t i) const {
  if (!is_mark(i)) return static_cast<double>(op(i).ns()) * kTraceTick_s;
  double sum_s = 0;
  for (std::size_t inner = i + 1; inner < op(i).end; inner = is_mark(inner) ? inner + 1 : op(inner).end) {
    const bool counts = !is_mark(inner) && (works_[inner] || works_inside_[inner]);
    if (counts) sum_s += static_cast<double>(op(inner).ns()) * kTraceTick_s;
  }
  return sum_s;
}

// A part of the program, such as an optimizer's step: what is inside it works.
bool StepParts::is_mark(std::size_t i) const { return op(i).name.find("::") == std::string::npos && works_inside_[i]; }

void StepParts::mark_parts() {
  parts_.assign(trace_.ops.size(), StepPart::nobody);
  for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
    const TracedOp& one = op(i);
    if (!in_step(one.time)) continue;
    StepPart part = one.parent != i ? parts_[one.parent] : StepPart::forward;
    if (part == StepPart::nobody) part = StepPart::forward;
    if (starts_with_one_of(one.name, kAside)) part = StepPart::aside;
    if (one.name.starts_with(kUpdate) || one.name.starts_with(kClearing)) part = StepPart::update;
    if (one.name.starts_with(kUpdate)) update_mark_ = one.name;
    if (one.name.starts_with(kBackwardNode)) part = StepPart::backward;
    if (starts_with_one_of(one.name, kCompiledForward)) compiled_ = true;
    parts_[i] = part;
  }
  take_closures_out();
  give_rest_to_update();
}

// Some programs, as Lightning, compute the passes in a closure that the optimizer calls: what is in its step up to the
// end of the backward pass is none of its work.
void StepParts::take_closures_out() {
  for (std::size_t i = 0; i < size(); ++i) {
    if (parts_[i] != StepPart::update || !op(i).name.starts_with(kUpdate)) continue;
    std::int64_t end_ns = op(i).time.start_ns;
    for (std::size_t k = 0; k < size(); ++k) {
      const bool inside = op(k).time.start_ns >= op(i).time.start_ns && op(k).time.end_ns <= op(i).time.end_ns;
      if (parts_[k] == StepPart::backward && inside) end_ns = std::max(end_ns, op(k).time.end_ns);
    }
    if (end_ns == op(i).time.start_ns) continue;
    for (std::size_t k = i + 1; k < op(i).end; k = op(k).name.starts_with(kClearing) ? op(k).end : k + 1) {
      const bool is_pass = parts_[k] == StepPart::update && op(k).time.start_ns < end_ns;
      if (is_pass && !op(k).name.starts_with(kClearing)) parts_[k] = StepPart::forward;
    }
    parts_[i] = StepPart::nobody;
  }
}

// What comes between the last backward pass and the optimizer is about gradients: clipping and scaling.
void StepParts::give_rest_to_update() {
  std::optional<std::int64_t> end_ns;
  for (std::size_t i = 0; i < size(); ++i) {
    if (parts_[i] == StepPart::backward) end_ns = std::max(end_ns.value_or(0), op(i).time.end_ns);
  }
  if (!end_ns || update_mark_.empty()) return;
  for (std::size_t i = 0; i < size(); ++i) {
    if (parts_[i] == StepPart::forward && op(i).time.start_ns >= *end_ns) parts_[i] = StepPart::update;
  }
}

// After a backward pass another one begins when products of a forward pass have run; on a GPU the two have a thread
// each.
int StepParts::count_passes() const {
  std::vector<std::int64_t> forward, backward;
  for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
    if (!in_step(op(i).time)) continue;
    if (op(i).name.starts_with(kBackwardNode)) backward.push_back(op(i).time.start_ns);
    const KnownOperator* const known = parts_[i] == StepPart::forward ? find_operator(op(i).name) : nullptr;
    if (known != nullptr && (known->kind == WorkClass::matrix || known->kind == WorkClass::convolution)) {
      forward.push_back(op(i).time.start_ns);
    }
  }
  std::ranges::sort(forward);
  std::ranges::sort(backward);
  int passes = 0;
  for (auto at = backward.begin(); at != backward.end(); ++passes) {
    const auto next = std::ranges::upper_bound(forward, *at);
    at = next == forward.end() ? backward.end() : std::ranges::upper_bound(backward, *next);
  }
  return passes;
}

void StepParts::find_working() {
  works_.resize(trace_.ops.size());
  works_inside_.assign(trace_.ops.size(), false);
  for (std::size_t i = trace_.ops.size(); i-- > 0;) {
    works_[i] = !moves_nothing(op(i).name) || launched_.contains(i);
    if (op(i).parent != i && (works_[i] || works_inside_[i])) works_inside_[op(i).parent] = true;
  }
}

bool StepParts::is_in_update_mark(std::size_t i) const {
  for (; !op(i).name.starts_with(kUpdate); i = op(i).parent) {
    if (op(i).parent == i) return false;
  }
  return true;
}

bool StepParts::is_compiled_code(std::size_t i) const {
  for (;; i = op(i).parent) {
    if (starts_with_one_of(op(i).name, kCompiledForward)) return true;
    if (op(i).parent == i) return false;
  }
}

// On the CPU, operators that are not inside others, on any thread.
double StepParts::busy_s() const {
  IntervalSet busy = kernel_times_;
  for (std::size_t i = 0; !on_gpu() && i < size(); ++i) {
    const bool counts = in_step(i) && (works_[i] || works_inside_[i]) && parts_[i] != StepPart::nobody;
    if (counts && !is_mark(i)) busy.add(op(i).time.start_ns, op(i).time.end_ns);
  }
  double sum_s = 0;
  for (const Interval& time : busy.merged()) {
    const std::int64_t start = std::max(time.start_ns, window_.start_ns);
    const std::int64_t end = on_gpu() ? time.end_ns : std::min(time.end_ns, window_.end_ns);
    if (end > start) sum_s += static_cast<double>(end - start) * kTraceTick_s;
  }
  return std::min(sum_s, static_cast<double>(window_.end_ns - window_.start_ns) * kTraceTick_s);
}

}  // namespace stash
