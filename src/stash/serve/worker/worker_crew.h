#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "stash/launch/serving/mps_daemon.h"
#include "stash/serve/worker/model_worker.h"
#include "stash/serve/worker/request_arena.h"

namespace stash {

// The workers of all models, and the memory of the requests that they share.
class WorkerCrew {
 public:
  // Begins to load all models. `request_bytes`: that requests may take together. Error where they are to work on a GPU
  // at the same time and cannot.
  WorkerCrew(const std::vector<ModelSource>& sources, WorkerSettings settings, std::size_t request_bytes);

  // Until every model is loaded or cannot be; false: `stop_fd` could be read before. `on_wait` hears how many are left.
  // UsageError or Error where none can be loaded; what else cannot is told to `warn`, and its requests are refused.
  bool load_all(int stop_fd, const std::function<void(std::size_t left)>& on_wait,
                const std::function<void(std::string_view)>& warn);

  RequestArena& arena() { return arena_; }
  std::size_t size() const { return workers_.size(); }
  bool uses_gpu() const { return uses_gpu_; }
  bool divides_device() const { return divides_device_; }
  ModelWorker& at(std::size_t place) { return *workers_[place]; }

 private:
  void check_loaded(const std::function<void(std::string_view)>& warn) const;

  std::optional<MpsDaemon> mps_;  // ends after the workers
  RequestArena arena_;
  bool uses_gpu_, divides_device_;
  std::vector<std::unique_ptr<ModelWorker>> workers_;
};

}  // namespace stash
