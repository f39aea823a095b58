#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/model/served_model.h"

namespace CLI {
class App;
}

namespace stash {

// What is served, on what, and how requests become batches.
class ServeFlags {
 public:
  void add_to(CLI::App& app);
  void add_model_to(CLI::App& app);  // without the device and what only a real server has
  void add_injection_to(CLI::App& app);

  ServeSettings settings() const;           // UsageError
  std::vector<ServedModel> models() const;  // UsageError names the nearest
  ModelSource only_source() const;          // UsageError unless one model is given
  ServedModel model_on(const Gpu& gpu, const ModelSource& source) const;

 private:
  std::vector<std::string> models_;
  std::string device_ = "emulated:V100";
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
};

}  // namespace stash
