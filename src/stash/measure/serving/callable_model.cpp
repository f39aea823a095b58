#include "stash/measure/serving/callable_model.h"

#include <torch/csrc/utils/pybind.h>

#include "stash/core/error.h"

namespace py = pybind11;

namespace stash {

CallableModel::CallableModel(py::object callable, std::string platform, std::vector<ModelTensor> inputs,
                             std::vector<std::string> outputs, int fixed_batch)
    : callable_(std::move(callable)),
      platform_(std::move(platform)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      fixed_batch_(fixed_batch) {}

CallableModel::~CallableModel() {
  const py::gil_scoped_acquire interpreter;
  callable_ = {};
}

std::vector<at::Tensor> CallableModel::run(const std::vector<at::Tensor>& inputs) {
  const py::gil_scoped_acquire interpreter;
  try {
    py::tuple given(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) given[i] = py::cast(inputs[i]);
    std::vector<at::Tensor> outputs;
    for (const py::handle one : callable_(*given)) outputs.push_back(py::cast<at::Tensor>(one));
    return outputs;
  } catch (const py::error_already_set& error) {
    throw Error(py::str(error.type().attr("__name__")).cast<std::string>() + ": " +
                py::str(error.value()).cast<std::string>());
  }
}

}  // namespace stash
