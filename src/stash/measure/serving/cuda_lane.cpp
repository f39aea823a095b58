#include <ATen/Functions.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <map>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/measure/engine/device.h"
#include "stash/measure/serving/batch_lane.h"
#include "stash/measure/serving/captured_graph.h"
#include "stash/measure/serving/cuda_runtime.h"

namespace stash {
namespace {

// Of the memory in which requests are received, what is pinned; blocks are taken from its beginning first.
constexpr std::size_t kPinnedArenaBytes = std::size_t{256} << 20;
constexpr std::int64_t kAskGpuAgain_ns = 50'000;
constexpr int kWarmRuns = 2;  // before a capture, so that kernels are chosen and libraries have their memory

// Everything of one size of batch.
struct SizedBatch {
  int rows = 0;
  std::vector<at::Tensor> inputs;  // on the device
  std::vector<at::Tensor> outputs;
  at::Tensor not_a_number;
  std::unique_ptr<CapturedGraph> graph;
  std::array<void*, 4> events{};  // begin, copied in, computed, copied out
  bool is_recorded = false;
  // Of the last batch of this size.
  std::int64_t copy_in_ns = -1, compute_ns = -1, copy_out_ns = -1;
};

class CudaLane : public BatchLane {
 public:
  CudaLane(BatchModel& model, c10::Device device, void* stream, int done_fd, bool uses_graphs)
      : cuda_(CudaRuntime::get()),
        model_(model),
        device_(device),
        stream_(stream),
        done_fd_(done_fd),
        uses_graphs_(uses_graphs) {}

  ~CudaLane() override {
    for (const auto& [rows, sized] : sized_) {
      for (void* const event : sized.events) cuda_.event_destroy(event);
    }
    for (void* const at : pinned_) cuda_.host_unregister(at);
  }

  std::vector<at::Tensor> try_out(const std::vector<at::Tensor>& inputs) override {
    std::vector<at::Tensor> on_device;
    for (const at::Tensor& one : inputs) on_device.push_back(one.to(device_));
    std::vector<at::Tensor> outputs = model_.run(on_device);
    for (at::Tensor& one : outputs) one = one.cpu();
    return outputs;
  }

  void attach(const BatchMemory& memory) override {
    memory_ = &memory;
    pin(memory.bytes(), memory.board_bytes());
    pin(const_cast<char*>(memory.arena()), std::min(memory.arena_bytes(), kPinnedArenaBytes));
    for (std::size_t i = 0; i < memory.inputs().size(); ++i) {
      inputs_.push_back(at::zeros_like(memory.input(i, memory.most_batch()), at::TensorOptions().device(device_)));
      inputs_.back().copy_(memory.input(i, memory.most_batch()));
    }
    host_flags_ = at::zeros({memory.most_batch()}, at::TensorOptions().dtype(at::kBool));
    pin(host_flags_.data_ptr(), host_flags_.nbytes());
  }

  double time_of(int rows) override {
    SizedBatch& sized = sized_for(rows);
    synchronize_device(device_);
    const std::int64_t start_ns = now_ns();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      copy(sized.inputs[i].data_ptr(), memory_->bytes() + memory_->input_at(i), sized.inputs[i].nbytes());
    }
    compute(sized);
    copy_out(sized, std::min(rows, memory_->most_batch()));
    synchronize_device(device_);
    check_outputs(sized.outputs, memory_->outputs(), sized.rows);
    return seconds(now_ns() - start_ns);
  }

  bool carry_out() override {
    BatchBoard& board = memory_->board();
    const int rows = static_cast<int>(board.rows);
    SizedBatch& sized = sized_for(rows);
    read_events(sized);
    record(sized, 0);
    take_requests(sized, board);
    record(sized, 1);
    compute(sized);
    if (!sized.graph) check_outputs(sized.outputs, memory_->outputs(), sized.rows);
    record(sized, 2);
    copy_out(sized, rows);
    record(sized, 3);
    sized.is_recorded = true;
    current_ = &sized;
    if (board.notice == BatchNotice::event) {
      cuda_.check(cuda_.launch_host_function(stream_, &CudaLane::tell_of_end, this), "CUDA could not be asked to tell");
      return false;
    }
    wait_for_end(sized, board.notice);
    read_events(sized);
    write_end(board);
    return true;
  }

  void tell(std::uint64_t, BatchNotice) override { eventfd_write(done_fd_, 1); }

 private:
  void pin(void* at, std::size_t bytes) {
    // Where it may not be (a limit of locked memory), copies are slower and as right.
    if (cuda_.host_register(at, bytes, 0) == 0) pinned_.push_back(at);
  }

  // With graphs, sizes that T(b) was measured for; without, every size.
  SizedBatch& sized_for(int rows) {
    if (model_.fixed_batch() > 0) rows = model_.fixed_batch();
    const auto found = uses_graphs_ && memory_->board().number > 0 ? sized_.lower_bound(rows) : sized_.find(rows);
    return found != sized_.end() ? found->second : make_sized(rows);
  }

  SizedBatch& make_sized(int rows) {
    SizedBatch& sized = sized_[rows];
    sized.rows = rows;
    for (const at::Tensor& one : inputs_) sized.inputs.push_back(one.narrow(0, 0, rows));
    for (void*& event : sized.events) {
      cuda_.check(cuda_.event_create(&event, kBlockingEvent), "an event of CUDA could not be made");
    }
    for (int i = 0; i < kWarmRuns; ++i) run_model(sized);
    synchronize_device(device_);
    if (uses_graphs_ && can_capture_) capture(sized);
    return sized;
  }

  // What cannot be captured (Python that waits for the device, say) is launched as it is.
  void capture(SizedBatch& sized) {
    try {
      sized.graph = std::make_unique<CapturedGraph>([&] { run_model(sized); });
    } catch (const std::exception&) {
      can_capture_ = false;
    }
  }

  void run_model(SizedBatch& sized) {
    sized.outputs = model_.run(sized.inputs);
    at::Tensor flags;
    for (at::Tensor& output : sized.outputs) {
      output = output.contiguous();
      if (!output.is_floating_point() || output.numel() == 0) continue;
      const at::Tensor own = at::isnan(output).reshape({output.size(0), -1}).any(1);
      flags = flags.defined() ? flags.logical_or(own) : own;
    }
    sized.not_a_number = flags;
  }

  void compute(SizedBatch& sized) {
    if (sized.graph) {
      sized.graph->launch(stream_);
    } else {
      run_model(sized);
    }
  }

  void copy(void* to, const void* from, std::size_t count) {
    cuda_.check(cuda_.copy(to, from, count, kCopyToDevice, stream_), "a copy to the device failed");
  }

  // Each request from where it was received; those that were gathered in one piece.
  void take_requests(const SizedBatch& sized, const BatchBoard& board) {
    const bool is_any_gathered = std::any_of(board.part.begin(), board.part.begin() + board.parts,
                                             [](const BatchPart& part) { return part.is_gathered != 0; });
    for (std::size_t i = 0; is_any_gathered && i < sized.inputs.size(); ++i) {
      const std::size_t bytes = row_bytes(memory_->inputs()[i]) * board.rows;
      copy(sized.inputs[i].data_ptr(), memory_->bytes() + memory_->input_at(i), bytes);
    }
    memory_->each_piece([&](std::size_t input, std::size_t first, const char* from, std::size_t count) {
      copy(static_cast<char*>(sized.inputs[input].data_ptr()) + first, from, count);
    });
  }

  void copy_out(const SizedBatch& sized, int rows) {
    const auto to_host = [&](void* to, const at::Tensor& from, std::size_t bytes) {
      cuda_.check(cuda_.copy(to, from.data_ptr(), bytes, kCopyToHost, stream_), "a copy from the device failed");
    };
    for (std::size_t i = 0; i < sized.outputs.size(); ++i) {
      to_host(memory_->bytes() + memory_->output_at(i), sized.outputs[i],
              row_bytes(memory_->outputs()[i]) * static_cast<std::size_t>(rows));
    }
    if (sized.not_a_number.defined()) {
      to_host(host_flags_.data_ptr(), sized.not_a_number, static_cast<std::size_t>(rows));
    }
  }

  void record(const SizedBatch& sized, std::size_t place) {
    cuda_.check(cuda_.event_record(sized.events[place], stream_), "an event of CUDA could not be recorded");
  }

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
    board.not_a_number.fill(0);
    const bool* const flags = host_flags_.const_data_ptr<bool>();
    for (std::uint32_t row = 0; sized.not_a_number.defined() && row < board.rows; ++row) {
      if (flags[row]) board.not_a_number[row / 64] |= std::uint64_t{1} << (row % 64);
    }
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
  void* stream_;
  int done_fd_;
  bool uses_graphs_;
  bool can_capture_ = true;
  const BatchMemory* memory_ = nullptr;
  std::vector<void*> pinned_;
  std::vector<at::Tensor> inputs_;  // for the largest batch
  at::Tensor host_flags_;
  std::map<int, SizedBatch> sized_;
  const SizedBatch* current_ = nullptr;
};

}  // namespace

std::unique_ptr<BatchLane> make_cuda_lane(BatchModel& model, c10::Device device, void* stream, int done_fd,
                                          bool uses_graphs) {
  return std::make_unique<CudaLane>(model, device, stream, done_fd, uses_graphs);
}

}  // namespace stash
