#pragma once

#include <memory>
#include <vector>

#include "stash/core/job.h"
#include "stash/core/profile.h"
#include "stash/measure/engine/device.h"
#include "stash/measure/torch_headers.h"
#include "stash/models/graph.h"

namespace stash {

// What one step trains on.
struct Batch {
  at::Tensor input;   // images {batch, 3, size, size} or tokens {batch, seq_len}
  at::Tensor target;  // labels, next tokens or positions
};

// A model on a device: real, or one that only takes a real one's time.
class Network {
 public:
  virtual ~Network() = default;
  virtual const std::vector<at::Tensor>& parameters() const = 0;
  virtual std::vector<at::Tensor> buffers() const = 0;
  virtual at::Tensor forward(const Batch& batch) = 0;  // the loss; its backward makes the gradients
  virtual void update() = 0;                           // the optimizer's step, and gradients cleared
  virtual void reset_optimizer() = 0;                  // what it remembers of earlier steps is forgotten
  virtual bool is_emulated() const = 0;
};

// Layers that sleep for their `times`; gradients that are there, become ready in backward order and are never
// computed.
std::unique_ptr<Network> make_emulated_network(const Graph& graph, const std::vector<LayerTime>& times, double update_s,
                                               EmulatedStream& stream);

}  // namespace stash
