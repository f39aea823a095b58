#include "stash/serve/worker/worker_crew.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kAskAgain_ms = 200;

}  // namespace

WorkerCrew::WorkerCrew(const std::vector<ModelSource>& sources, WorkerSettings settings, std::size_t request_bytes)
    : arena_(request_bytes), uses_gpu_(settings.device != "cpu"), divides_device_(settings.divides_device) {
  if (settings.works_at_once) {
    mps_.emplace();
    settings.interpreter.environment = mps_->environment();
  }
  for (const ModelSource& source : sources) {
    workers_.push_back(std::make_unique<ModelWorker>(source, settings, arena_));
  }
}

bool WorkerCrew::load_all(int stop_fd, const std::function<void(std::size_t left)>& on_wait,
                          const std::function<void(std::string_view)>& warn) {
  std::vector<pollfd> fds{{.fd = stop_fd, .events = POLLIN, .revents = 0}};
  for (const auto& worker : workers_) fds.push_back({.fd = worker->fd(), .events = POLLIN, .revents = 0});
  for (;;) {
    std::size_t left = 0;
    for (const auto& worker : workers_) {
      worker->take_events();
      if (!worker->has_loaded()) ++left;
    }
    if (left == 0) break;
    if (on_wait) on_wait(left);
    poll(fds.data(), fds.size(), kAskAgain_ms);
    if ((fds.front().revents & POLLIN) != 0) return false;
  }
  check_loaded(warn);
  return true;
}

void WorkerCrew::check_loaded(const std::function<void(std::string_view)>& warn) const {
  const bool is_any = std::ranges::any_of(workers_, [](const auto& worker) { return !worker->first_fault(); });
  for (const auto& worker : workers_) {
    const auto& fault = worker->first_fault();
    if (!fault) continue;
    const std::string why = fmt::format("model '{}' cannot be served: {}", worker->source().name, fault->message);
    if (!is_any && fault->kind == "usage") throw UsageError(why);
    if (!is_any) throw Error(why);
    warn(why + "; the others are");
  }
}

}  // namespace stash
