#include <sys/eventfd.h>

#include <algorithm>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/measure/engine/device.h"
#include "stash/measure/serving/batch_lane.h"
#include "stash/measure/serving/cuda_copies.h"
#include "stash/measure/serving/cuda_runtime.h"
#include "stash/measure/serving/cuda_work.h"

namespace stash {
namespace {

constexpr std::int64_t kAskGpuAgain_ns = 50'000;

class CudaLane : public BatchLane {
 public:
  CudaLane(BatchModel& model, c10::Device device, CudaStream stream, int done_fd, bool uses_graphs, bool divides_device)
      : cuda_(CudaRuntime::get()),
        model_(model),
        device_(device),
        done_fd_(done_fd),
        copies_(cuda_),
        work_(model, device, stream, uses_graphs, divides_device) {}

  std::vector<at::Tensor> try_out(const std::vector<at::Tensor>& inputs) override {
    std::vector<at::Tensor> on_device;
    for (const at::Tensor& one : inputs) on_device.push_back(one.to(device_));
    std::vector<at::Tensor> outputs = model_.run(on_device);
    for (at::Tensor& one : outputs) one = one.cpu();
    return outputs;
  }

  void attach(const BatchMemory& memory) override {
    memory_ = &memory;
    copies_.attach(memory);
    work_.attach(memory);
  }

  int device_parts() const override { return work_.parts(); }

  double time_of(int rows, int parts) override {
    RangeWork& work = work_.measured_on({.first = 0, .count = parts});
    SizedBatch& sized = work.for_size(rows);
    synchronize_device(device_);
    const std::int64_t start_ns = now_ns();
    copies_.copy_gathered(sized, static_cast<std::size_t>(sized.rows), false);
    work.compute(sized);
    copies_.copy_out(sized, static_cast<std::size_t>(std::min(rows, memory_->most_batch())));
    synchronize_device(device_);
    check_outputs(sized.outputs, memory_->outputs(), sized.rows);
    return seconds(now_ns() - start_ns);
  }

  bool carry_out() override {
    BatchBoard& board = memory_->board();
    RangeWork& work = work_.for_batch_on(board.parts_of_device);
    SizedBatch& sized = work.for_batch(static_cast<int>(board.rows), board.is_eager != 0);
    read_events(sized);
    work.record(sized, 0);
    copies_.copy_requests(sized, board);
    work.record(sized, 1);
    work.compute(sized);
    if (!sized.graph) check_outputs(sized.outputs, memory_->outputs(), sized.rows);
    work.record(sized, 2);
    copies_.copy_out(sized, board.rows);
    work.record(sized, 3);
    sized.is_recorded = true;
    current_ = &sized;
    if (board.notice == BatchNotice::event) {
      cuda_.check(cuda_.launch_host_function(sized.stream, &CudaLane::tell_of_end, this),
                  "CUDA could not be asked to tell");
      return false;
    }
    wait_for_end(sized, board.notice);
    read_events(sized);
    write_end(board);
    return true;
  }

  void tell(std::uint64_t, BatchNotice) override { eventfd_write(done_fd_, 1); }

 private:
  void wait_for_end(const SizedBatch& sized, BatchNotice way) {
    if (way == BatchNotice::blocking) {
      return cuda_.check(cuda_.event_synchronize(sized.events[3]), "the model failed on the device");
    }
    int state = kNotReady;
    while ((state = cuda_.event_query(sized.events[3])) == kNotReady) {
      if (way == BatchNotice::polling) sleep_until_ns(now_ns() + kAskGpuAgain_ns);
    }
    cuda_.check(state, "the model failed on the device");
  }

  // How long the parts took; of the batch before, where the device tells of its end itself.
  void read_events(SizedBatch& sized) const {
    if (!sized.is_recorded || cuda_.event_query(sized.events[3]) != 0) return;
    const auto between_ns = [&](std::size_t from, std::size_t to) {
      float ms = 0;
      cuda_.event_elapsed_ms(&ms, sized.events[from], sized.events[to]);
      return nanoseconds(static_cast<double>(ms) * 1e-3);
    };
    sized.copy_in_ns = between_ns(0, 1);
    sized.compute_ns = between_ns(1, 2);
    sized.copy_out_ns = between_ns(2, 3);
  }

  // On a thread of CUDA, or the worker's.
  void write_end(BatchBoard& board) const {
    board.finished_ns = now_ns();
    const SizedBatch& sized = *current_;
    copies_.mark_not_a_number(sized, board);
    board.copy_in_ns = sized.copy_in_ns;
    board.copy_out_ns = sized.copy_out_ns;
    if (sized.compute_ns < 0) return;
    const std::int64_t worked_ns = sized.copy_in_ns + sized.compute_ns + sized.copy_out_ns;
    board.launch_ns = std::max<std::int64_t>(0, board.finished_ns - board.begun_ns - worked_ns);
  }

  static void tell_of_end(void* lane) {
    auto& self = *static_cast<CudaLane*>(lane);
    BatchBoard& board = self.memory_->board();
    self.write_end(board);
    board.done.store(board.number, std::memory_order_release);
    eventfd_write(self.done_fd_, 1);
  }

  const CudaRuntime& cuda_;
  BatchModel& model_;
  c10::Device device_;
  int done_fd_;
  const BatchMemory* memory_ = nullptr;
  CudaCopies copies_;
  CudaWork work_;
  const SizedBatch* current_ = nullptr;
};

}  // namespace

std::unique_ptr<BatchLane> make_cuda_lane(BatchModel& model, c10::Device device, CudaStream stream, int done_fd,
                                          bool uses_graphs, bool divides_device) {
  return std::make_unique<CudaLane>(model, device, stream, done_fd, uses_graphs, divides_device);
}

}  // namespace stash
