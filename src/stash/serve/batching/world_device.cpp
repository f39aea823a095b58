#include "stash/serve/batching/world_device.h"

#include <algorithm>
#include <cstring>

namespace stash {

void WorldDevice::gather(const BatchJob& job) {
  std::size_t bytes = 0;
  for (const PendingRequest* const request : job.requests) bytes += request->tensor.size();
  if (batch_bytes_.size() < bytes) batch_bytes_.resize(bytes);
  std::size_t at = 0;
  for (PendingRequest* const request : job.requests) {
    std::memcpy(batch_bytes_.data() + at, request->tensor.data(), request->tensor.size());
    request->tensor = {batch_bytes_.data() + at, request->tensor.size()};
    at += request->tensor.size();
  }
}

std::string_view WorldDevice::output_of(const PendingRequest& request, Refusal&) {
  const ServedModel& model = request.queue->model();
  const std::size_t in = model.input.row_bytes(), out = model.output.row_bytes();
  if (request.times.rows == 1 && in >= out) return request.tensor.substr(0, out);
  output_.clear();
  for (std::size_t row = 0; row * in < request.tensor.size(); ++row) {
    output_ += request.tensor.substr(row * in, std::min(in, out));
    output_.append(out - std::min(in, out), '\0');
  }
  return output_;
}

}  // namespace stash
