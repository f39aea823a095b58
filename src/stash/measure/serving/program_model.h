#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>
#include <vector>

#include "stash/measure/serving/batch_model.h"

namespace stash {

// An argument of an operator: a value, the result of an earlier node, or a list with such results in it.
struct ProgramArgument {
  c10::IValue value;
  int node = -1;                       // >= 0: the result of that node
  std::vector<ProgramArgument> items;  // of a list
  bool is_list = false;
  c10::TypePtr element{};  // of a list
};

// What a node does that is no operator of torch: arithmetic on sizes, and taking an item of several results.
enum class ProgramStep { operation, item, add, subtract, multiply, divide, remainder, negate };

struct ProgramNode {
  ProgramStep step = ProgramStep::operation;
  std::optional<c10::OperatorHandle> op;
  std::vector<ProgramArgument> arguments;
  std::vector<int> last_of;  // nodes that nobody reads after this one
};

// The graph of a torch.export package, carried out node by node without Python. The first nodes are the inputs.
class ProgramModel : public BatchModel {
 public:
  struct Signature {
    std::string platform;
    std::vector<ModelTensor> inputs;
    std::vector<std::string> outputs;
    int fixed_batch = 0;
  };
  ProgramModel(Signature signature, std::vector<ProgramNode> nodes, std::vector<ProgramArgument> outputs);

  std::string platform() const override { return signature_.platform; }
  std::vector<ModelTensor> inputs() const override { return signature_.inputs; }
  std::vector<std::string> output_names() const override { return signature_.outputs; }
  int fixed_batch() const override { return signature_.fixed_batch; }
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs) override;

 private:
  Signature signature_;
  std::vector<ProgramNode> nodes_;
  std::vector<ProgramArgument> outputs_;
};

}  // namespace stash
