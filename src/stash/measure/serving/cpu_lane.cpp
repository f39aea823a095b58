#include <ATen/Functions.h>

#include <cstring>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/measure/serving/batch_lane.h"
#include "stash/measure/serving/batch_notice.h"

namespace stash {
namespace {

class CpuLane : public BatchLane {
 public:
  CpuLane(BatchModel& model, int done_fd) : model_(model), notifier_(done_fd) {}

  std::vector<at::Tensor> try_out(const std::vector<at::Tensor>& inputs) override { return model_.run(inputs); }
  void attach(const BatchMemory& memory) override { memory_ = &memory; }

  double time_of(int rows, int /*parts*/) override {
    const std::vector<at::Tensor> inputs = inputs_of(rows);
    const std::int64_t start_ns = now_ns();
    const std::vector<at::Tensor> outputs = model_.run(inputs);
    check_outputs(outputs, memory_->outputs(), rows);
    return seconds(now_ns() - start_ns);
  }

  bool carry_out() override {
    BatchBoard& board = memory_->board();
    notifier_.expect(board.number, board.notice);
    try {
      work(board);
      return true;
    } catch (...) {
      board.finished_ns = now_ns();
      throw;
    }
  }

  void tell(std::uint64_t batch, BatchNotice way) override { notifier_.ended(batch, way); }

 private:
  std::vector<at::Tensor> inputs_of(int rows) const {
    std::vector<at::Tensor> inputs;
    for (std::size_t i = 0; i < memory_->inputs().size(); ++i) inputs.push_back(memory_->input(i, rows));
    return inputs;
  }

  void work(BatchBoard& board) {
    const int rows = model_.fixed_batch() > 0 ? model_.fixed_batch() : static_cast<int>(board.rows);
    const std::vector<at::Tensor> inputs = inputs_of(rows);
    const std::int64_t begun_ns = now_ns();
    bool is_copied = false;
    memory_->each_piece([&](std::size_t input, std::size_t first, const char* from, std::size_t count) {
      std::memcpy(static_cast<char*>(inputs[input].data_ptr()) + first, from, count);
      is_copied = true;
    });
    const std::int64_t copied_ns = now_ns();
    std::vector<at::Tensor> outputs = model_.run(inputs);
    check_outputs(outputs, memory_->outputs(), rows);
    const std::int64_t computed_ns = now_ns();
    for (at::Tensor& output : outputs) output = output.narrow(0, 0, board.rows);
    for (std::size_t i = 0; i < outputs.size(); ++i) memory_->output(i, static_cast<int>(board.rows)).copy_(outputs[i]);
    mark_not_a_number(board, outputs);
    board.copy_in_ns = is_copied ? copied_ns - begun_ns : -1;
    board.finished_ns = now_ns();
    board.copy_out_ns = board.finished_ns - computed_ns;
  }

  BatchModel& model_;
  const BatchMemory* memory_ = nullptr;
  BatchNotifier notifier_;
};

}  // namespace

std::unique_ptr<BatchLane> make_cpu_lane(BatchModel& model, int done_fd) {
  return std::make_unique<CpuLane>(model, done_fd);
}

}  // namespace stash
