#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/model/served_model.h"
#include "stash/serve/worker/worker_crew.h"

namespace CLI {
class App;
}

namespace stash {

// What is served, on what, and how requests become batches.
class ServeFlags {
 public:
  void add_to(CLI::App& app);
  // Without the device and what only a real server has. `model` is what --model takes.
  void add_model_to(CLI::App& app, const std::string& model =
                                       "Model to predict: a built-in network (`stash models`), or "
                                       "sleep:TIME, which takes that for any batch");
  void add_injection_to(CLI::App& app);

  ServeSettings settings() const;           // UsageError
  bool is_emulated() const;                 // the device; UsageError where it is none that can serve
  std::vector<ServedModel> models() const;  // on an emulated device; UsageError names the nearest
  std::vector<ModelSource> sources() const;
  // Begins to load the models on a real device; finds or builds the library for the interpreter first.
  std::unique_ptr<WorkerCrew> begin_loading(std::size_t request_bytes) const;
  ModelSource only_source() const;  // UsageError unless one model is given
  ServedModel model_on(const Gpu& gpu, const ModelSource& source) const;

 private:
  std::vector<std::string> models_;
  std::string device_ = "emulated:V100";
  std::string python_;
  std::string launch_{kLaunchWays.front()};
  std::string batch_limit_ = "30s";
  std::int64_t seed_ = 1;
  std::string dtype_ = "fp32";
  std::optional<std::string> objective_;
  int most_batch_ = ServeSettings{}.most_batch;
  std::string batching_{kBatchingWays.front()};
  std::string timeout_ = "5ms";
  std::string batch_times_;
  std::string input_{kInputWays.front()};
  std::string completion_{kCompletionWays.front()};
  std::string inject_;
  std::string reload_{kReloadWays.front()};
  std::string sharing_{kSharingWays.front()};
};

}  // namespace stash
