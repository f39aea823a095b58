#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "stash/serve/batching/scheduler.h"
#include "stash/serve/protocol/http_answer.h"
#include "stash/serve/protocol/http_request_reader.h"

namespace stash {

// What a request asks for: an answer that is known already, an inference by a model, or to be told when a model is
// loaded.
struct InferCall {
  ModelQueue* queue = nullptr;
};
struct LoadCall {
  ModelQueue* queue = nullptr;
};
using ApiCall = std::variant<HttpAnswer, InferCall, LoadCall>;

// The paths of the Open Inference Protocol, its repository extension, and /metrics. `connections` is for the metrics.
ApiCall route(Scheduler& scheduler, const HttpHead& head, std::size_t connections);

// The counts of all models in the text format of Prometheus.
std::string metrics_text(const Scheduler& scheduler, std::size_t connections);

}  // namespace stash
