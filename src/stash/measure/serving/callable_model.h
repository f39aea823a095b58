#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "stash/measure/serving/batch_model.h"

namespace stash {

// A callable of Python: takes tensors, gives a list of tensors. It takes the interpreter lock for each batch.
class CallableModel : public BatchModel {
 public:
  CallableModel(pybind11::object callable, std::string platform, std::vector<ModelTensor> inputs,
                std::vector<std::string> outputs, int fixed_batch);
  ~CallableModel() override;

  std::string platform() const override { return platform_; }
  std::vector<ModelTensor> inputs() const override { return inputs_; }
  std::vector<std::string> output_names() const override { return outputs_; }
  int fixed_batch() const override { return fixed_batch_; }
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs) override;

 private:
  pybind11::object callable_;
  std::string platform_;
  std::vector<ModelTensor> inputs_;
  std::vector<std::string> outputs_;
  int fixed_batch_;
};

}  // namespace stash
