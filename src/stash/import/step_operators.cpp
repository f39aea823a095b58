#include "stash/import/step_operators.h"

#include <algorithm>

#include "stash/import/step_reader.h"

namespace stash {
namespace {

constexpr double kElementBytes = 4;  // where the type is not known

double bytes_per_element(std::string_view dtype) {
  if (dtype == "fp16" || dtype == "bf16") return 2;
  return dtype == "fp64" ? 2 * kElementBytes : kElementBytes;
}

UpdateKind update_kind(std::string_view mark, bool scales_momentum) {
  if (mark.find("SGD") == std::string_view::npos) return UpdateKind::adam;
  return scales_momentum ? UpdateKind::momentum : UpdateKind::sgd;
}

}  // namespace

StepReader::StepReader(const WorkTrace& trace, const Interval& step, const WorkFacts& facts)
    : parts_(trace, step), batch_(facts.batch.value_or(0)) {
  if (facts.parameters) pool_ = ParameterPool(*facts.parameters);
  result_.s = static_cast<double>(step.end_ns - step.start_ns) * kTraceTick_s;
}

StepOperators StepReader::read() {
  result_.on_gpu = parts_.on_gpu();
  result_.compiled = parts_.has_compiled_code();
  result_.passes = std::max(1, parts_.count_passes());
  read_forward();
  read_backward();
  read_update();
  result_.busy_s = parts_.busy_s();
  spread_compiled();
  result_.parameters_left = pool_.left();
  return std::move(result_);
}

void StepReader::add_loose(std::size_t from, std::size_t to, WorkClass kind, WorkPass pass) {
  LooseWork loose{.kind = kind, .pass = pass, .dtype = {}};
  const LaunchedWork work = pass == WorkPass::backward ? backward_work(from) : parts_.work_in(from, to);
  loose.s = work.s;
  loose.launches = work.count;
  for (std::size_t i = from; i < to; ++i) {
    if (!parts_.is_leaf(i) || parts_.of(i) == StepPart::aside) continue;
    const OperatorInputs inputs = operator_inputs(op(i).arguments);
    const std::string dtype = dtype_of(inputs);
    if (loose.dtype.empty()) loose.dtype = dtype;
    loose.bytes += elements_of(inputs) * bytes_per_element(dtype);
  }
  if (loose.s > 0 || loose.bytes > 0) result_.loose.push_back(std::move(loose));
}

void StepReader::read_update() {
  bool scales_momentum = false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_.of(i) != StepPart::update || !parts_.in_step(i)) continue;
    const bool is_clipping = op(i).name.find("::") != std::string::npos && !parts_.is_in_update_mark(i);
    for (std::size_t inner = i; !is_clipping && inner < op(i).end; ++inner) {
      const std::string& name = op(inner).name;
      scales_momentum =
          scales_momentum || name == "aten::_foreach_mul_" || name == "aten::mul_" || name == "aten::_fused_sgd_";
    }
    add_loose(i, op(i).end, WorkClass::optimizer, WorkPass::update);
    i = op(i).end - 1;
  }
  if (!parts_.update_mark().empty()) result_.optimizer = update_kind(parts_.update_mark(), scales_momentum);
}

std::string dtype_of(const OperatorInputs& inputs) {
  for (const OperatorInput& input : inputs.inputs) {
    if (std::string name = dtype_name(input.type); !name.empty() && !input.tensors.empty()) return name;
  }
  return "";
}

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
