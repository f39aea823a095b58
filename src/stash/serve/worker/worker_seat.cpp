#include "stash/serve/worker/worker_seat.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {

TensorSpec spec_of(const WorkerTensor& tensor) {
  const TensorType* const type = find_tensor_type(tensor.datatype);
  if (type == nullptr) throw Error(fmt::format("its worker names the type {}, which is none", tensor.datatype));
  return {.name = tensor.name, .type = type, .shape = tensor.shape};
}

WorkerSeat::WorkerSeat(const WorkerInterpreter& interpreter, WorkerOrder order, int arena_fd, std::size_t arena_bytes)
    : begun_ns_(now_ns()),
      board_fd_(memfd_create("stash batch", MFD_CLOEXEC | MFD_ALLOW_SEALING)),
      order_(eventfd(0, EFD_CLOEXEC)),
      done_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      process_(interpreter, completed(std::move(order), arena_fd, arena_bytes)) {}

WorkerSeat::~WorkerSeat() {
  if (board_ != nullptr) munmap(board_, board_bytes_);
}

WorkerOrder WorkerSeat::completed(WorkerOrder order, int arena_fd, std::size_t arena_bytes) const {
  if (board_fd_.get() < 0 || order_.get() < 0 || done_.get() < 0) {
    throw Error(fmt::format("cannot share memory with a worker: {}", std::strerror(errno)));
  }
  order.board_fd = board_fd_.get();
  order.arena_fd = arena_fd;
  order.arena_bytes = static_cast<std::int64_t>(arena_bytes);
  order.order_fd = order_.get();
  order.done_fd = done_.get();
  return order;
}

void WorkerSeat::read() {
  process_.read([this](std::string_view line) {
    try {
      take(parse_worker_news(line));
    } catch (const Error& error) {
      failed_ = {.kind = "environment", .message = error.what()};
    }
  });
}

void WorkerSeat::take(const WorkerNews& news) {
  if (!news.failed.empty()) failed_ = news.failed.front();
  if (news.ready.empty() || ready_) return;
  map(news.ready.front());
  process_.serve_at_once();
  ready_ = news.ready.front();
}

void WorkerSeat::map(const WorkerReady& ready) {
  // A file that became shorter would end this process.
  struct stat facts{};
  if (fcntl(board_fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0 || fstat(board_fd_.get(), &facts) != 0 ||
      facts.st_size < ready.board_bytes || ready.inputs.empty() || ready.outputs.empty() || ready.times.empty()) {
    throw Error("its worker shares no memory: it was started again with other sources");
  }
  for (const WorkerTensor& one : ready.inputs) input_row_bytes_.push_back(spec_of(one).row_bytes());
  for (const WorkerTensor& one : ready.outputs) output_row_bytes_.push_back(spec_of(one).row_bytes());
  board_bytes_ = static_cast<std::size_t>(ready.board_bytes);
  void* const at = mmap(nullptr, board_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, board_fd_.get(), 0);
  if (at == MAP_FAILED) throw Error(fmt::format("cannot share memory with a worker: {}", std::strerror(errno)));
  board_ = std::launder(static_cast<BatchBoard*>(at));
}

void WorkerSeat::order_batch() { eventfd_write(order_.get(), 1); }

void WorkerSeat::take_done() {
  std::uint64_t count = 0;
  [[maybe_unused]] const int read = eventfd_read(done_.get(), &count);
}

}  // namespace stash
