#include "stash/measure/serving/program_model.h"

#include <ATen/core/List.h>

#include "stash/core/error.h"

namespace stash {
namespace {

void read_nodes_of(const ProgramArgument& argument, std::vector<int>& nodes) {
  if (argument.node >= 0) nodes.push_back(argument.node);
  for (const ProgramArgument& item : argument.items) read_nodes_of(item, nodes);
}

c10::IValue value_of(const ProgramArgument& argument, const std::vector<c10::IValue>& results);

c10::IValue list_of(const ProgramArgument& argument, const std::vector<c10::IValue>& results) {
  c10::impl::GenericList list(argument.element);
  list.reserve(argument.items.size());
  for (const ProgramArgument& item : argument.items) list.push_back(value_of(item, results));
  return list;
}

c10::IValue value_of(const ProgramArgument& argument, const std::vector<c10::IValue>& results) {
  if (argument.node >= 0) return results[static_cast<std::size_t>(argument.node)];
  return argument.is_list ? list_of(argument, results) : argument.value;
}

c10::IValue operation(const ProgramNode& node, const std::vector<c10::IValue>& results) {
  torch::jit::Stack stack;
  stack.reserve(node.arguments.size());
  for (const ProgramArgument& argument : node.arguments) stack.push_back(value_of(argument, results));
  node.op->callBoxed(stack);
  if (stack.size() == 1) return std::move(stack.front());
  return c10::ivalue::Tuple::create(std::move(stack));
}

c10::IValue item_of(const c10::IValue& from, std::int64_t place) {
  const auto at = static_cast<std::size_t>(place);
  if (from.isTuple()) return from.toTupleRef().elements().at(at);
  if (from.isTensorList()) return from.toTensorVector().at(at);
  return from.toListRef()[at];
}

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
  if (b == 0) throw Error("the program divides a size by 0");
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

c10::IValue carried_out(const ProgramNode& node, const std::vector<c10::IValue>& results) {
  if (node.step == ProgramStep::operation) return operation(node, results);
  const c10::IValue first = value_of(node.arguments.at(0), results);
  if (node.step == ProgramStep::negate) return -first.toInt();
  const std::int64_t second = value_of(node.arguments.at(1), results).toInt();
  switch (node.step) {
    case ProgramStep::item:
      return item_of(first, second);
    case ProgramStep::add:
      return first.toInt() + second;
    case ProgramStep::subtract:
      return first.toInt() - second;
    case ProgramStep::multiply:
      return first.toInt() * second;
    case ProgramStep::divide:
      return floor_divided(first.toInt(), second);
    default:
      return first.toInt() - second * floor_divided(first.toInt(), second);
  }
}

}  // namespace

ProgramModel::ProgramModel(Signature signature, std::vector<ProgramNode> nodes, std::vector<ProgramArgument> outputs)
    : signature_(std::move(signature)), nodes_(std::move(nodes)), outputs_(std::move(outputs)) {
  const std::size_t given = signature_.inputs.size();
  // What is read last where; what the outputs read stays to the end.
  std::vector<int> last(given + nodes_.size(), -1), read;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    read.clear();
    for (const ProgramArgument& argument : nodes_[i].arguments) read_nodes_of(argument, read);
    for (const int node : read) last.at(static_cast<std::size_t>(node)) = static_cast<int>(i);
  }
  read.clear();
  for (const ProgramArgument& argument : outputs_) read_nodes_of(argument, read);
  for (const int node : read) last.at(static_cast<std::size_t>(node)) = -1;
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i] >= 0) nodes_[static_cast<std::size_t>(last[i])].last_of.push_back(static_cast<int>(i));
  }
}

std::vector<at::Tensor> ProgramModel::run(const std::vector<at::Tensor>& inputs) {
  const std::size_t given = signature_.inputs.size();
  std::vector<c10::IValue> results(given + nodes_.size());  // by node, inputs first
  for (std::size_t i = 0; i < given; ++i) results[i] = inputs.at(i);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    results[given + i] = carried_out(nodes_[i], results);
    for (const int node : nodes_[i].last_of) results[static_cast<std::size_t>(node)] = {};
  }
  std::vector<at::Tensor> outputs;
  for (const ProgramArgument& output : outputs_) outputs.push_back(value_of(output, results).toTensor());
  return outputs;
}

}  // namespace stash
