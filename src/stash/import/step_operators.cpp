#include "stash/import/step_operators.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "stash/import/kernel_names.h"
#include "stash/import/operator_layer.h"

namespace stash {
namespace {

constexpr std::string_view kBackwardNode = "autograd::engine::evaluate_function: ";
constexpr std::string_view kUpdate = "Optimizer.step#";
constexpr std::string_view kClearing = "Optimizer.zero_grad#";
constexpr std::string_view kCompiledBackward = "CompiledFunctionBackward";
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
constexpr double kNano = 1e-9;
constexpr double kElementBytes = 4;  // where the type is not known
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

template <std::size_t N>
bool starts_with_one_of(std::string_view name, const std::array<std::string_view, N>& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

double bytes_per_element(std::string_view dtype) {
  if (dtype == "fp16" || dtype == "bf16") return 2;
  return dtype == "fp64" ? 2 * kElementBytes : kElementBytes;
}

std::string dtype_of(const OperatorInputs& inputs) {
  for (const OperatorInput& input : inputs.inputs) {
    if (std::string name = dtype_name(input.type); !name.empty() && !input.tensors.empty()) return name;
  }
  return "";
}

UpdateKind update_kind(std::string_view mark, bool scales_momentum) {
  if (mark.find("SGD") == std::string_view::npos) return UpdateKind::adam;
  return scales_momentum ? UpdateKind::momentum : UpdateKind::sgd;
}

// Whose work an operator does. What is set aside is neither: communication, and the making of batches.
enum class Part { nobody, forward, backward, update, aside };

class StepReader {
 public:
  StepReader(const WorkTrace& trace, const Interval& step, const WorkFacts& facts)
      : trace_(trace), window_(step), batch_(facts.batch.value_or(0)) {
    if (facts.parameters) pool_ = ParameterPool(*facts.parameters);
    result_.s = static_cast<double>(step.end_ns - step.start_ns) * kNano;
  }

  StepOperators read() {
    find_kernels();
    mark_parts();
    find_working();
    read_forward();
    read_backward();
    read_update();
    read_busy();
    spread_compiled();
    result_.parameters_left = pool_.left();
    return std::move(result_);
  }

 private:
  bool in_step(const Interval& time) const {
    return time.start_ns >= window_.start_ns && time.start_ns < window_.end_ns;
  }
  const TracedOp& op(std::size_t i) const { return trace_.ops[i]; }

  // Kernels by the operator that launched them. A kernel belongs to the step whose operator it is.
  void find_kernels() {
    std::unordered_map<std::int64_t, std::size_t> ops;
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      if (op(i).external) ops.emplace(*op(i).external, i);
    }
    result_.on_gpu = !trace_.kernels.empty();
    for (const TracedKernel& kernel : trace_.kernels) {
      const auto found = kernel.external ? ops.find(*kernel.external) : ops.end();
      const std::size_t of = found == ops.end() ? kNone : found->second;
      const bool is_here = of == kNone ? in_step(kernel.time) : in_step(op(of).time);
      if (!is_here) continue;
      busy_.add(kernel.time.start_ns, kernel.time.end_ns);
      if (of == kNone || classify_kernel(kernel.name).kind == KernelKind::communication) continue;
      if (starts_with_one_of(kernel.name, kHostCopies)) continue;
      Launched& launched = launched_[of];
      launched.s += static_cast<double>(kernel.time.end_ns - kernel.time.start_ns) * kNano;
      ++launched.count;
    }
  }

  // The time of an operator and all inside it.
  struct Launched {
    double s = 0;
    std::int64_t count = 0;
  };
  Launched work_in(std::size_t from, std::size_t to) const {
    Launched sum;
    if (!result_.on_gpu) {
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
  double computing_s(std::size_t i) const {
    if (!is_mark(i)) return static_cast<double>(op(i).ns()) * kNano;
    double sum_s = 0;
    for (std::size_t inner = i + 1; inner < op(i).end; inner = is_mark(inner) ? inner + 1 : op(inner).end) {
      const bool counts = !is_mark(inner) && (works_[inner] || works_inside_[inner]);
      if (counts) sum_s += static_cast<double>(op(inner).ns()) * kNano;
    }
    return sum_s;
  }

  // A part of the program, such as an optimizer's step: what is inside it works.
  bool is_mark(std::size_t i) const { return op(i).name.find("::") == std::string::npos && works_inside_[i]; }
  bool is_leaf(std::size_t i) const { return works_[i] && !works_inside_[i]; }

  void mark_parts() {
    parts_.assign(trace_.ops.size(), Part::nobody);
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      const TracedOp& one = op(i);
      if (!in_step(one.time)) continue;
      Part part = one.parent != i ? parts_[one.parent] : Part::forward;
      if (part == Part::nobody) part = Part::forward;
      if (starts_with_one_of(one.name, kAside)) part = Part::aside;
      if (one.name.starts_with(kUpdate) || one.name.starts_with(kClearing)) part = Part::update;
      if (one.name.starts_with(kUpdate)) update_mark_ = one.name;
      if (one.name.starts_with(kBackwardNode)) part = Part::backward;
      if (starts_with_one_of(one.name, kCompiledForward)) result_.compiled = true;
      parts_[i] = part;
    }
    result_.passes = std::max(1, count_passes());
  }

  // After a backward pass another one begins when products of a forward pass have run; on a GPU the two have a thread
  // each.
  int count_passes() const {
    std::vector<std::int64_t> forward, backward;
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      if (!in_step(op(i).time)) continue;
      if (op(i).name.starts_with(kBackwardNode)) backward.push_back(op(i).time.start_ns);
      const KnownOperator* const known = parts_[i] == Part::forward ? find_operator(op(i).name) : nullptr;
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

  void find_working() {
    works_.resize(trace_.ops.size());
    works_inside_.assign(trace_.ops.size(), false);
    for (std::size_t i = trace_.ops.size(); i-- > 0;) {
      works_[i] = !moves_nothing(op(i).name) || launched_.contains(i);
      if (op(i).parent != i && (works_[i] || works_inside_[i])) works_inside_[op(i).parent] = true;
    }
  }

  bool is_compiled_code(std::size_t i) const {
    for (;; i = op(i).parent) {
      if (starts_with_one_of(op(i).name, kCompiledForward)) return true;
      if (op(i).parent == i) return false;
    }
  }

  // The forward pass in order: what has a size of its own, and the smallest parts of all else.
  void read_forward() {
    for (std::size_t i = 0; i < trace_.ops.size();) {
      const bool is_elsewhere = parts_[i] != Part::forward && parts_[i] != Part::nobody;
      i = is_elsewhere || (parts_[i] == Part::forward && take_forward(i)) ? op(i).end : i + 1;
    }
    order_by_time();
    note_sequences();
  }

  bool take_forward(std::size_t i) {
    const KnownOperator* const known = find_operator(op(i).name);
    if (known == nullptr && !is_leaf(i)) return false;
    if (known != nullptr && known->form == OperatorForm::attention && is_spelled_out(i)) return false;
    // Mixed precision casts parameters before products; that belongs to the products.
    if (known != nullptr && known->form == OperatorForm::cast) {
      add_loose(i, op(i).end, WorkClass::memory, WorkPass::forward);
      return true;
    }
    const OperatorInputs inputs = operator_inputs(op(i).arguments);
    const OperatorPlace place{batch_, trains_, pool_};
    std::optional<OperatorLayer> made =
        known != nullptr ? layer_of_operator(*known, inputs, place) : layer_of_inputs(inputs, place);
    if (!made) return known != nullptr && known->form == OperatorForm::dropout;  // it does nothing
    if (is_compiled_kernel(op(i).name)) made->layer.cost.forward_elements *= kOnlyOnce;
    push(i, inputs, std::move(*made));
    return true;
  }

  // A compiled kernel's arguments are all that it reads and all that it writes.
  static constexpr double kOnlyOnce = 0.5;

  // Attention that no single kernel computes is a chain of products.
  bool is_spelled_out(std::size_t i) const {
    if (!result_.on_gpu) return false;
    for (std::size_t inner = i + 1; inner < op(i).end; ++inner) {
      if (op(inner).name == "aten::_scaled_dot_product_attention_math") return true;
    }
    return false;
  }

  void push(std::size_t i, const OperatorInputs& inputs, OperatorLayer made) {
    const Launched launched = work_in(i, op(i).end);
    StepLayerSeen seen;
    WorkLayer& layer = seen.layer;
    layer.name = op(i).name;
    layer.op = to_string(made.layer.op);
    layer.output = made.layer.output;
    for (Parameter& parameter : made.layer.parameters) layer.parameters.push_back(std::move(parameter.shape));
    layer.shares_weight = made.layer.weight_of >= 0;
    layer.dtype = computed_in(i, inputs);
    layer.kernel = made.layer.kernel;
    layer.kernel_width = made.layer.kernel_width;
    layer.stride = made.layer.stride;
    layer.groups = made.layer.groups;
    layer.heads = made.layer.heads;
    layer.causal = made.layer.causal;
    layer.forward_ops = made.layer.cost.forward_ops;
    layer.backward_ops = made.layer.cost.backward_ops;
    layer.forward_elements = made.layer.cost.forward_elements;
    layer.backward_elements = made.layer.cost.backward_elements;
    layer.forward_s = launched.s;
    seen.kind = made.kind;
    seen.follows_batch = made.follows_batch;
    seen.compiled = is_compiled_code(i);
    seen.forward_launches = launched.count;
    trains_ = trains_ || !layer.parameters.empty() || layer.shares_weight;
    first_op_.push_back(i);
    result_.layers.push_back(std::move(seen));
  }

  // Mixed precision enters a product with one type and computes it in another.
  std::string computed_in(std::size_t i, const OperatorInputs& inputs) const {
    const KnownOperator* const outer = find_operator(op(i).name);
    std::string dtype = dtype_of(inputs);
    if (outer == nullptr || outer->op == Op::other) return dtype;
    for (std::size_t inner = i + 1; inner < op(i).end; ++inner) {
      const KnownOperator* const known = find_operator(op(inner).name);
      if (known == nullptr || known->kind != outer->kind) continue;
      if (std::string type = dtype_of(operator_inputs(op(inner).arguments)); !type.empty()) dtype = std::move(type);
    }
    return dtype;
  }

  // Ops are read thread by thread.
  void order_by_time() {
    std::vector<std::size_t> order(result_.layers.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return op(first_op_[i]).time.start_ns; });
    std::vector<StepLayerSeen> layers;
    std::vector<std::size_t> first;
    for (const std::size_t i : order) {
      layers.push_back(std::move(result_.layers[i]));
      first.push_back(first_op_[i]);
    }
    result_.layers = std::move(layers);
    first_op_ = std::move(first);
  }

  // The last operator that ran with a sequence number made the node of the backward pass that bears it.
  void note_sequences() {
    std::map<std::int64_t, std::size_t> layer_at;  // by the time of their first op
    for (std::size_t i = 0; i < first_op_.size(); ++i) layer_at[op(first_op_[i]).time.start_ns] = i;
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      if (parts_[i] != Part::forward || !op(i).sequence || !in_step(op(i).time)) continue;
      auto after = layer_at.upper_bound(op(i).time.start_ns);
      if (after == layer_at.begin()) continue;
      layer_of_sequence_[*op(i).sequence] = std::prev(after)->second;
    }
  }

  void read_backward() {
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      if (parts_[i] != Part::backward || !in_step(op(i).time) || !op(i).name.starts_with(kBackwardNode)) continue;
      const bool compiled = op(i).name.find(kCompiledBackward) != std::string::npos;
      const auto owner = op(i).sequence ? layer_of_sequence_.find(*op(i).sequence) : layer_of_sequence_.end();
      if (compiled) {
        read_compiled_backward(i);
      } else if (owner == layer_of_sequence_.end()) {
        add_loose(i, op(i).end, WorkClass::memory, WorkPass::backward);
      } else {
        give_backward(i, owner->second);
      }
      i = op(i).end - 1;
    }
    drop_what_does_not_train();
  }

  // Nested communication waits and does not compute.
  Launched backward_work(std::size_t node) const {
    Launched work = work_in(node, op(node).end);
    if (result_.on_gpu) return work;
    for (std::size_t i = node + 1; i < op(node).end; ++i) {
      const bool outer = parts_[i] == Part::aside && parts_[op(i).parent] != Part::aside;
      if (outer) work.s -= static_cast<double>(op(i).ns()) * kNano;
    }
    work.s = std::max(0.0, work.s);
    return work;
  }

  void give_backward(std::size_t node, std::size_t owner) {
    StepLayerSeen& seen = result_.layers[owner];
    const Launched work = backward_work(node);
    seen.layer.backward_s += work.s;
    seen.backward_launches += work.count;
    has_backward_.insert(owner);
    const double per_sample = 1.0 / std::max(1, batch_);
    for (std::size_t i = node + 1; i < op(node).end; ++i) {
      if (parts_[i] != Part::backward || !is_leaf(i)) continue;
      const bool adds_gradients = op(i).parent == node && op(i).name.starts_with("aten::add");
      const bool is_other = seen.layer.op == to_string(Op::other);
      if (!adds_gradients && !is_other) continue;
      const double elements = elements_of(operator_inputs(op(i).arguments)) * per_sample;
      if (elements * std::max(1, batch_) < 2) continue;
      seen.layer.backward_elements += elements;
      if (is_other) ++seen.layer.index;
    }
  }

  // What came before anything that is learned, or belongs to a frozen part, has no backward pass.
  void drop_what_does_not_train() {
    for (std::size_t i = 0; i < result_.layers.size(); ++i) {
      StepLayerSeen& seen = result_.layers[i];
      if (seen.compiled || has_backward_.contains(i)) continue;
      seen.layer.backward_ops = seen.layer.backward_elements = 0;
    }
  }

  void read_compiled_backward(std::size_t node) {
    double inside_s = 0;
    for (std::size_t i = node + 1; i < op(node).end;) {
      const bool whole = is_leaf(i) || (works_[i] && find_operator(op(i).name) != nullptr) ||
                         (works_[i] && op(i).name.find("_backward") != std::string::npos);
      if (!whole || parts_[i] != Part::backward) {
        ++i;
        continue;
      }
      const Launched work = work_in(i, op(i).end);
      inside_s += work.s;
      if (is_compiled_kernel(op(i).name)) {
        push_backward_kernel(i, work);
      } else {
        pools_[class_of(op(i).name)].s += work.s;
        pools_[class_of(op(i).name)].count += work.count;
      }
      i = op(i).end;
    }
    if (!result_.on_gpu) unsized_backward_s_ += std::max(0.0, backward_work(node).s - inside_s);
  }

  void push_backward_kernel(std::size_t i, const Launched& work) {
    const OperatorInputs inputs = operator_inputs(op(i).arguments);
    const std::optional<OperatorLayer> made = layer_of_inputs(inputs, {batch_, true, pool_});
    if (!made) return;
    StepLayerSeen seen;
    seen.layer.name = op(i).name;
    seen.layer.op = to_string(Op::other);
    seen.layer.output = {};
    seen.layer.dtype = dtype_of(inputs);
    seen.layer.groups = 0;
    seen.layer.index = 1;
    seen.layer.backward_elements = made->layer.cost.forward_elements * kOnlyOnce;
    seen.layer.backward_s = work.s;
    seen.kind = class_of(op(i).name);
    seen.follows_batch = made->follows_batch;
    seen.compiled = true;
    seen.backward_launches = work.count;
    backward_kernels_.push_back(std::move(seen));
  }

  void add_loose(std::size_t from, std::size_t to, WorkClass kind, WorkPass pass) {
    LooseWork loose{.kind = kind, .pass = pass, .dtype = {}};
    const Launched work = pass == WorkPass::backward ? backward_work(from) : work_in(from, to);
    loose.s = work.s;
    loose.launches = work.count;
    for (std::size_t i = from; i < to; ++i) {
      if (!is_leaf(i) || parts_[i] == Part::aside) continue;
      const OperatorInputs inputs = operator_inputs(op(i).arguments);
      const std::string dtype = dtype_of(inputs);
      if (loose.dtype.empty()) loose.dtype = dtype;
      loose.bytes += elements_of(inputs) * bytes_per_element(dtype);
    }
    if (loose.s > 0 || loose.bytes > 0) result_.loose.push_back(std::move(loose));
  }

  void read_update() {
    bool scales_momentum = false;
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      if (parts_[i] != Part::update || !in_step(op(i).time)) continue;
      for (std::size_t inner = i; inner < op(i).end; ++inner) {
        const std::string& name = op(inner).name;
        scales_momentum =
            scales_momentum || name == "aten::_foreach_mul_" || name == "aten::mul_" || name == "aten::_fused_sgd_";
      }
      add_loose(i, op(i).end, WorkClass::optimizer, WorkPass::update);
      i = op(i).end - 1;
    }
    if (!update_mark_.empty()) result_.optimizer = update_kind(update_mark_, scales_momentum);
  }

  // On the CPU, operators that are not inside others, on any thread.
  void read_busy() {
    if (!result_.on_gpu) {
      for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
        const bool counts = in_step(op(i).time) && (works_[i] || works_inside_[i]) && parts_[i] != Part::nobody;
        if (counts && !is_mark(i)) busy_.add(op(i).time.start_ns, op(i).time.end_ns);
      }
      if (unsized_backward_s_ > 0) result_.compiled = true;
    }
    for (const Interval& time : busy_.merged()) {
      const std::int64_t start = std::max(time.start_ns, window_.start_ns);
      const std::int64_t end = result_.on_gpu ? time.end_ns : std::min(time.end_ns, window_.end_ns);
      if (end > start) result_.busy_s += static_cast<double>(end - start) * kNano;
    }
    result_.busy_s = std::min(result_.busy_s, result_.s);
  }

  // The backward pass of compiled code is one node: its products belong to those of the forward pass, its own kernels
  // stand for themselves.
  void spread_compiled() {
    for (const auto& [kind, pool] : pools_) {
      double all = 0;
      for (const StepLayerSeen& seen : result_.layers) {
        if (seen.compiled && seen.kind == kind) all += seen.layer.backward_ops;
      }
      for (StepLayerSeen& seen : result_.layers) {
        if (!seen.compiled || seen.kind != kind || all <= 0) continue;
        seen.layer.backward_s += pool.s * seen.layer.backward_ops / all;
        seen.backward_launches += pool.count / static_cast<std::int64_t>(result_.layers.size());
      }
      if (all <= 0 && pool.s > 0) {
        result_.loose.push_back({kind, WorkPass::backward, {}, pool.s, 0, pool.count});
      }
    }
    place_backward_kernels();
    if (result_.compiled && !result_.on_gpu) add_unsized();
  }

  // The first to run backward is the last of the forward pass.
  void place_backward_kernels() {
    const std::size_t layers = result_.layers.size(), kernels = backward_kernels_.size();
    std::vector<StepLayerSeen> all;
    std::size_t next = 0;
    for (std::size_t i = 0; i <= layers; ++i) {
      for (; next < kernels && next * (layers + 1) < (i + 1) * kernels; ++next) {
        all.push_back(std::move(backward_kernels_[kernels - 1 - next]));
      }
      if (i < layers) all.push_back(std::move(result_.layers[i]));
    }
    result_.layers = std::move(all);
  }

  // Kernels that torch.compile wrote for the CPU leave no mark: between two products something reads what the first
  // wrote and writes what the second reads.
  void add_unsized() {
    std::vector<StepLayerSeen> all;
    double products = 0, forward_s = 0, operators_s = 0;
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      if (parts_[i] != Part::forward || op(i).name != "CompiledFunction" || !in_step(op(i).time)) continue;
      forward_s += static_cast<double>(op(i).ns()) * kNano;
    }
    for (const StepLayerSeen& seen : result_.layers) {
      if (!seen.compiled) continue;
      operators_s += seen.layer.forward_s;
      products += seen.layer.forward_elements;
    }
    const double rest_s = std::max(0.0, forward_s - operators_s);
    result_.unsized_s = rest_s + unsized_backward_s_;
    for (StepLayerSeen& seen : result_.layers) {
      const bool is_product = seen.compiled && seen.layer.forward_ops > 0;
      const double elements = seen.layer.forward_elements;
      const Shape output = seen.layer.output;
      const std::string dtype = seen.layer.dtype;
      all.push_back(std::move(seen));
      if (!is_product || products <= 0) continue;
      StepLayerSeen fused;
      fused.layer.name = "compiled";
      fused.layer.op = to_string(Op::other);
      fused.layer.output = output;
      fused.layer.dtype = dtype;
      fused.layer.groups = fused.layer.index = 1;
      fused.layer.forward_elements = elements;
      fused.layer.backward_elements = 2 * elements;
      fused.layer.forward_s = rest_s * elements / products;
      fused.layer.backward_s = unsized_backward_s_ * elements / products;
      fused.compiled = true;
      fused.forward_launches = fused.backward_launches = 1;
      all.push_back(std::move(fused));
    }
    result_.layers = std::move(all);
  }

  const WorkTrace& trace_;
  const Interval window_;
  const int batch_;
  ParameterPool pool_;
  StepOperators result_;
  IntervalSet busy_;
  std::map<std::size_t, Launched> launched_;  // by op
  std::vector<Part> parts_;                   // by op
  std::vector<bool> works_, works_inside_;    // by op
  std::string update_mark_;
  bool trains_ = false;
  std::vector<std::size_t> first_op_;  // by layer
  std::unordered_map<std::int64_t, std::size_t> layer_of_sequence_;
  std::unordered_set<std::size_t> has_backward_;  // layers
  std::map<WorkClass, Launched> pools_;           // of compiled backward passes
  std::vector<StepLayerSeen> backward_kernels_;   // that torch.compile wrote
  double unsized_backward_s_ = 0;
};

}  // namespace

std::string dtype_name(std::string_view torch_type) {
  if (torch_type == "float") return "fp32";
  if (torch_type == "c10::BFloat16") return "bf16";
  if (torch_type == "c10::Half") return "fp16";
  if (torch_type == "double") return "fp64";
  if (torch_type.starts_with("c10::Float8")) return "fp8";
  return "";
}

StepOperators operators_of(const WorkTrace& trace, const Interval& step, const WorkFacts& facts) {
  return StepReader(trace, step, facts).read();
}

}  // namespace stash
