#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stash/serve/batching/batch_device.h"
#include "stash/serve/worker/request_arena.h"
#include "stash/serve/worker/worker_seat.h"

namespace stash {

// Which rows of the batch each request has.
void place_rows(const BatchJob& job);

// The bytes of a placed request, to its rows in the memory of the batch.
// With `is_pageable`, to the one that is not pinned.
void copy_into_batch(WorkerSeat& seat, const PendingRequest& request, bool is_pageable);

// Tells the process to work on placed requests as its batch of that number. Those that are not in memory that it shares
// are copied first. `parts` are those of its device to work on.
void order_batch(WorkerSeat& seat, const BatchJob& job, std::uint64_t number, DeviceRange parts,
                 const RequestArena& arena);

// How the batch ended, as the process wrote it down. `model` names it in messages.
BatchEnd read_batch_end(const BatchBoard& board, std::int64_t start_ns, std::int64_t now_ns, std::string_view model);

// The request's first row with a NaN in the output, from 0 on.
std::optional<int> row_with_nan(const BatchBoard& board, const PendingRequest& request);

// All outputs of a request, one behind the other; `joined` is where, if there are several.
std::string_view output_rows(WorkerSeat& seat, const PendingRequest& request, std::string& joined);

}  // namespace stash
