#pragma once

#include <string>
#include <vector>

#include "stash/measure/torch_headers.h"

namespace stash {

// A tensor of a model: its first dimension is the batch, `shape` is that of a sample.
struct ModelTensor {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;
};

// A loaded model: a batch in, a batch out, on its device.
class BatchModel {
 public:
  virtual ~BatchModel() = default;
  virtual std::string platform() const = 0;  // "resnet50 in fp32"
  virtual std::vector<ModelTensor> inputs() const = 0;
  virtual std::vector<std::string> output_names() const = 0;  // empty: they have none
  // The only batch that it takes; 0: any.
  virtual int fixed_batch() const { return 0; }
  // Called without the interpreter lock; on a GPU by two threads at once, on streams of their own.
  virtual std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs) = 0;
};

}  // namespace stash
