#include "stash/serve/batching/request_times.h"

#include <algorithm>

namespace stash {
namespace {

constexpr std::array<std::string_view, kRequestParts> kPartNames{"receive",  "queue",   "batch_wait", "reload",
                                                                 "gather",   "copy_in", "launch",     "compute",
                                                                 "copy_out", "notify",  "respond"};

}  // namespace

std::string_view to_string(RequestPart part) { return kPartNames[static_cast<std::size_t>(part)]; }

PartTimes parts_of(const RequestTimes& times) {
  PartTimes parts;
  const auto set = [&](RequestPart part, std::int64_t ns) { parts[static_cast<std::size_t>(part)] = ns; };
  const std::int64_t waited_ns = times.dispatched_ns - times.arrived_ns;
  const std::int64_t reload_ns = std::clamp<std::int64_t>(times.reload_ns, 0, waited_ns);
  const std::int64_t queue_ns = std::clamp<std::int64_t>(times.device_busy_ns, 0, waited_ns - reload_ns);
  set(RequestPart::receive, times.arrived_ns - times.begun_ns);
  set(RequestPart::queue, queue_ns);
  set(RequestPart::batch_wait, waited_ns - reload_ns - queue_ns);
  if (reload_ns > 0) set(RequestPart::reload, reload_ns);
  if (times.was_gathered) set(RequestPart::gather, times.started_ns - times.dispatched_ns);
  std::int64_t left_ns = times.finished_ns - (times.was_gathered ? times.started_ns : times.dispatched_ns);
  const auto take = [&](RequestPart part, std::optional<std::int64_t> ns) {
    if (!ns) return;
    const std::int64_t own_ns = std::clamp<std::int64_t>(*ns, 0, left_ns);
    set(part, own_ns);
    left_ns -= own_ns;
  };
  take(RequestPart::copy_in, times.copy_in_ns);
  take(RequestPart::launch, times.launch_ns);
  take(RequestPart::copy_out, times.copy_out_ns);
  set(RequestPart::compute, left_ns);
  set(RequestPart::notify, times.noticed_ns - times.finished_ns);
  set(RequestPart::respond, times.answered_ns - times.noticed_ns);
  return parts;
}

}  // namespace stash
