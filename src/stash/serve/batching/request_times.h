#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stash {

// Where a request's time goes, in the order in which it passes.
enum class RequestPart {
  receive,     // until its last byte is here; for a client, from the time that it planned to send it
  queue,       // for the device, which worked on other batches
  batch_wait,  // for others to fill the batch, though the device was free
  reload,      // for a model that was taken away to be loaded again
  gather,      // its bytes into the memory of the batch
  copy_in,     // the batch to the device
  launch,      // of the device's work by the host
  compute,     // on the device
  copy_out,    // results from the device
  notify,      // from the device's end to the server's noticing it
  respond,     // the answer's making and sending; for a client, until it has the last byte
};
inline constexpr std::size_t kRequestParts = 11;
constexpr std::array<RequestPart, kRequestParts> every(RequestPart) {
  return {RequestPart::receive,  RequestPart::queue,   RequestPart::batch_wait, RequestPart::reload,
          RequestPart::gather,   RequestPart::copy_in, RequestPart::launch,     RequestPart::compute,
          RequestPart::copy_out, RequestPart::notify,  RequestPart::respond};
}
std::string_view to_string(RequestPart part);

// Moments of a request on the clock of now_ns(); each is that of the one before or later.
struct RequestTimes {
  std::int64_t begun_ns = 0;       // its first byte came; for a client, when it should have been sent
  std::int64_t arrived_ns = 0;     // its last byte came
  std::int64_t dispatched_ns = 0;  // it left the queue
  std::int64_t started_ns = 0;     // on the device, after gathering if there was any
  std::int64_t finished_ns = 0;    // on the device
  std::int64_t noticed_ns = 0;
  std::int64_t answered_ns = 0;  // the last byte was given away; for a client, came to it
  // Of the time on the device; what is left of it was computing.
  std::optional<std::int64_t> copy_in_ns{}, launch_ns{}, copy_out_ns{};
  // Of the time in the queue.
  std::int64_t device_busy_ns = 0;
  std::int64_t reload_ns = 0;
  bool was_gathered = false;
  int rows = 1;        // its own
  int batch_rows = 1;  // of the batch that it was in
};

// Nanoseconds by part; what does not apply is absent. They add up to answered_ns - begun_ns, to the nanosecond.
using PartTimes = std::array<std::optional<std::int64_t>, kRequestParts>;
PartTimes parts_of(const RequestTimes& times);

}  // namespace stash
