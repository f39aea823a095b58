#include "stash/serve/worker/batch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace stash {

void place_rows(const BatchJob& job) {
  int row = 0;
  for (PendingRequest* const request : job.requests) {
    request->first_row = row;
    row += request->times.rows;
  }
}

void copy_into_batch(WorkerSeat& seat, const PendingRequest& request, bool is_pageable) {
  const std::int64_t shift = is_pageable ? seat.ready()->pageable_shift : 0;
  const auto& inputs = seat.ready()->inputs;
  const char* from = request.tensor.data();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t row_bytes = seat.input_row_bytes()[i];
    const std::size_t count = row_bytes * static_cast<std::size_t>(request.times.rows);
    std::memcpy(seat.bytes(inputs[i].at + shift) + row_bytes * static_cast<std::size_t>(request.first_row), from,
                count);
    from += count;
  }
}

void order_batch(WorkerSeat& seat, const BatchJob& job, std::uint64_t number, DeviceRange parts,
                 const RequestArena& arena) {
  BatchBoard& board = seat.board();
  board.number = number;
  board.rows = static_cast<std::uint32_t>(job.rows);
  board.parts = static_cast<std::uint32_t>(job.requests.size());
  board.notice = static_cast<BatchNotice>(job.completion);
  board.is_pageable = job.input == InputWay::pageable ? 1 : 0;
  board.is_eager = job.launch == LaunchWay::eager ? 1 : 0;
  board.parts_of_device = parts;
  for (std::size_t i = 0; i < job.requests.size(); ++i) {
    const PendingRequest& request = *job.requests[i];
    BatchPart& part = board.part[i];
    part.rows = static_cast<std::uint32_t>(request.times.rows);
    part.is_gathered = request.times.was_gathered ? 1 : 0;
    if (part.is_gathered == 0 && !arena.holds(request.tensor)) {
      copy_into_batch(seat, request, false);  // its numbers came as JSON
      part.is_gathered = 1;
    }
    if (part.is_gathered == 0) part.offset = arena.offset_of(request.tensor);
  }
  seat.order_batch();
}

BatchEnd read_batch_end(const BatchBoard& board, std::int64_t start_ns, std::int64_t now_ns, std::string_view model) {
  BatchEnd end{.finish_ns = std::clamp(board.finished_ns, start_ns, now_ns)};
  end.launch_ns = board.begun_ns - start_ns + std::max<std::int64_t>(0, board.launch_ns);
  if (board.copy_in_ns >= 0) end.copy_in_ns = board.copy_in_ns;
  if (board.copy_out_ns >= 0) end.copy_out_ns = board.copy_out_ns;
  if (board.is_failed != 0) {
    const std::string_view message(board.message.data(), strnlen(board.message.data(), board.message.size()));
    end.failure = {500, fmt::format("model '{}' failed: {}", model, message)};
  }
  return end;
}

std::optional<int> row_with_nan(const BatchBoard& board, const PendingRequest& request) {
  for (int row = 0; row < request.times.rows; ++row) {
    const auto place = static_cast<std::size_t>(request.first_row + row);
    if ((board.not_a_number[place / 64] >> (place % 64) & 1) != 0) return row;
  }
  return std::nullopt;
}

std::string_view output_rows(WorkerSeat& seat, const PendingRequest& request, std::string& joined) {
  const auto& outputs = seat.ready()->outputs;
  joined.clear();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::size_t row_bytes = seat.output_row_bytes()[i];
    const std::string_view rows(seat.bytes(outputs[i].at) + row_bytes * static_cast<std::size_t>(request.first_row),
                                row_bytes * static_cast<std::size_t>(request.times.rows));
    if (outputs.size() == 1) return rows;
    joined += rows;
  }
  return joined;
}

}  // namespace stash
