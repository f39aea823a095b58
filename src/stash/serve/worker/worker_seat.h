#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stash/launch/process/child.h"
#include "stash/launch/serving/batch_board.h"
#include "stash/launch/serving/worker_process.h"
#include "stash/serve/model/served_model.h"

namespace stash {

// Error where a worker names a type that there is not.
TensorSpec spec_of(const WorkerTensor& tensor);

// One process that holds a version of a model, and the memory that is shared with it.
class WorkerSeat {
 public:
  WorkerSeat(const WorkerInterpreter& interpreter, WorkerOrder order, int arena_fd, std::size_t arena_bytes);
  ~WorkerSeat();
  WorkerSeat(const WorkerSeat&) = delete;
  WorkerSeat& operator=(const WorkerSeat&) = delete;

  WorkerProcess& process() { return process_; }
  int done_fd() const { return done_.get(); }
  // Takes what the process tells. Once it is ready, its memory can be used.
  void read();
  const std::optional<WorkerReady>& ready() const { return ready_; }
  const std::optional<WorkerFailed>& failed() const { return failed_; }

  BatchBoard& board() { return *board_; }
  // Of a sample of each input and output.
  const std::vector<std::size_t>& input_row_bytes() const { return input_row_bytes_; }
  const std::vector<std::size_t>& output_row_bytes() const { return output_row_bytes_; }
  char* bytes(std::int64_t at) { return reinterpret_cast<char*>(board_) + at; }
  void order_batch();  // what the board says
  void take_done();    // after done_fd() could be read
  std::int64_t begun_ns() const { return begun_ns_; }

 private:
  WorkerOrder completed(WorkerOrder order, int arena_fd, std::size_t arena_bytes) const;
  void take(const WorkerNews& news);
  void map(const WorkerReady& ready);

  std::int64_t begun_ns_;
  Fd board_fd_, order_, done_;
  WorkerProcess process_;
  std::optional<WorkerReady> ready_;
  std::optional<WorkerFailed> failed_;
  std::vector<std::size_t> input_row_bytes_, output_row_bytes_;
  BatchBoard* board_ = nullptr;
  std::size_t board_bytes_ = 0;
};

}  // namespace stash
