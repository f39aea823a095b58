#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/model/served_model.h"
#include "stash/serve/server/serve_limits.h"
#include "stash/serve/server/served_request.h"
#include "stash/serve/worker/worker_crew.h"

namespace stash {

struct ListenAddress {
  std::string host = "127.0.0.1";  // a number, IPv4 or IPv6
  int port = 8000;                 // 0: a free one
};

// Models behind HTTP, on one emulated device or each with a worker, in the thread that calls run().
class ModelServer {
 public:
  // Error where the address is taken; UsageError where the objective cannot be met.
  ModelServer(const ListenAddress& address, std::vector<ServedModel> models, const ServeSettings& settings,
              const ServeLimits& limits);
  // `workers` outlives it.
  ModelServer(const ListenAddress& address, WorkerCrew& workers, const ServeSettings& settings,
              const ServeLimits& limits);
  ~ModelServer();

  int port() const;

  // Until `stop_fd` can be read. What was accepted by then is answered first.
  void run(int stop_fd);

  // From any thread: other switches, from the next batch on. Loads a model again.
  void set(const ServeSettings& settings);
  void reload(const std::string& model);

  // Called in run()'s thread for every request that was answered; set before run().
  std::function<void(const ServedRequest&)> on_answered;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace stash
