#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/models/graph.h"
#include "stash/serve/model/batch_times.h"
#include "stash/serve/protocol/tensor_type.h"

namespace stash {

// A tensor that goes into a model or comes out of it: its first dimension is the batch, `shape` is the rest.
struct TensorSpec {
  std::string name;
  const TensorType* type = nullptr;
  Shape shape;

  std::size_t row_bytes() const {
    return static_cast<std::size_t>(element_count(shape)) * static_cast<std::size_t>(type->bytes);
  }
};

// What is served under a name. On an emulated accelerator tensors are real, and their contents are not computed.
struct ServedModel {
  std::string name;
  std::string platform;  // "resnet50 on an emulated V100"
  TensorSpec input;
  TensorSpec output;
  BatchTimes times;
  double load_s = 0;                      // to bring its weights to the device
  std::optional<int> most_batch{};        // that it takes
  std::vector<TensorSpec> more_inputs{};  // after `input`; a request's tensors lie one after the other
  std::vector<TensorSpec> more_outputs{};
};

// All of them, `input` or `output` first.
std::vector<TensorSpec> inputs_of(const ServedModel& model);
std::vector<TensorSpec> outputs_of(const ServedModel& model);

// What is loaded under a name, as it was given: "resnet50", "small=resnet18", "idle=sleep:10ms".
struct ModelSource {
  std::string name;
  std::string spec;  // of a built-in network, sleep:TIME, a file a.pt2, or py:FILE:FUNCTION

  bool is_sleeper() const;
  bool is_file() const;
};
ModelSource parse_model_source(const std::string& text);  // UsageError

inline constexpr int kMostServedBatch = 1024;

// A built-in network takes the time that `gpu` takes forward, by the roofline of its generation; sleep:TIME takes TIME
// for a batch of any size. T(b) is known up to `most_batch`. UsageError names the nearest model.
ServedModel make_served_model(const ModelSource& source, const Gpu& gpu, DType dtype, int most_batch);

}  // namespace stash
