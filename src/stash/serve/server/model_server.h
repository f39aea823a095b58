#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stash/serve/batching/request_times.h"
#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/model/served_model.h"
#include "stash/serve/worker/worker_crew.h"

namespace stash {

// What clients may hold.
struct ServeLimits {
  int connections = 1024;
  std::size_t request_bytes = std::size_t{64} << 20;
  std::size_t memory_bytes = std::size_t{1} << 30;  // of all requests together
  double request_s = 30;                            // for a request to come, and for an answer to be taken
};

struct ListenAddress {
  std::string host = "127.0.0.1";  // a number, IPv4 or IPv6
  int port = 8000;                 // 0: a free one
};

// An answered request, and which one it was: the number of the request on its connection, from 0 on.
struct ServedRequest {
  std::uint16_t peer_port = 0;
  std::uint32_t number = 0;
  RequestTimes times;
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
