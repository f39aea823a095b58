#include "stash/measure/serving/serve_worker.h"

#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kMostRuns = 5;  // of one size of batch
constexpr int kProbeBatch = 2;

constexpr std::array<std::pair<at::ScalarType, std::string_view>, 10> kTypes{{{at::kBool, "BOOL"},
                                                                              {at::kByte, "UINT8"},
                                                                              {at::kChar, "INT8"},
                                                                              {at::kShort, "INT16"},
                                                                              {at::kInt, "INT32"},
                                                                              {at::kLong, "INT64"},
                                                                              {at::kHalf, "FP16"},
                                                                              {at::kBFloat16, "BF16"},
                                                                              {at::kFloat, "FP32"},
                                                                              {at::kDouble, "FP64"}}};

std::vector<at::Tensor> sample_inputs(const std::vector<ModelTensor>& inputs, int rows) {
  std::vector<at::Tensor> made;
  for (const ModelTensor& one : inputs) {
    std::vector<std::int64_t> shape{rows};
    shape.insert(shape.end(), one.shape.begin(), one.shape.end());
    const at::TensorOptions options = at::TensorOptions().dtype(one.type);
    // Whole numbers may be places in a table, of which the first is always there.
    made.push_back(c10::isFloatingType(one.type) ? at::rand(shape, at::kFloat).to(one.type)
                                                 : at::zeros(shape, options));
  }
  return made;
}

void check_first_dimension(const at::Tensor& output, std::size_t place, int rows) {
  if (output.dim() > 0 && output.size(0) == rows) return;
  throw UsageError(
      fmt::format("for {} samples the model gave output {} with the shape [{}]: the first dimension of every output "
                  "must be that of the batch",
                  rows, place, fmt::join(output.sizes(), ", ")));
}

// Models that are loaded at once are measured one after the other: a lock of processes on a file that they share.
class MeasuringTurn {
 public:
  explicit MeasuringTurn(int fd) : fd_(fd) { set(F_WRLCK); }
  ~MeasuringTurn() { set(F_UNLCK); }
  MeasuringTurn(const MeasuringTurn&) = delete;
  MeasuringTurn& operator=(const MeasuringTurn&) = delete;

 private:
  void set(short type) const {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    while (fcntl(fd_, F_SETLKW, &lock) != 0 && errno == EINTR) continue;
  }
  int fd_;
};

std::string text_of(const std::exception& error) {
  if (const auto* const torch_error = dynamic_cast<const c10::Error*>(&error)) {
    return torch_error->what_without_backtrace();
  }
  return error.what();
}

}  // namespace

std::string datatype_of(at::ScalarType type) {
  const auto found = std::ranges::find(kTypes, type, [](const auto& one) { return one.first; });
  if (found == kTypes.end() || found->second.empty()) {
    throw UsageError(
        fmt::format("tensors of type {} cannot be sent to clients: convert them in the model", c10::toString(type)));
  }
  return std::string(found->second);
}

at::ScalarType scalar_type_named(const std::string& datatype) {
  const auto found = std::ranges::find(kTypes, std::string_view(datatype), [](const auto& one) { return one.second; });
  if (found == kTypes.end() || datatype.empty()) {
    throw UsageError(
        fmt::format("'{}' is no type of a tensor: it takes FP32, FP16, BF16, FP64, INT64, INT32, INT16, "
                    "INT8, UINT8 or BOOL",
                    datatype));
  }
  return found->first;
}

ServeWorker::ServeWorker(std::unique_ptr<BatchModel> model, std::string device, int most_batch, int board_fd,
                         int arena_fd, std::int64_t arena_bytes, int order_fd, int done_fd, CudaStream stream,
                         bool uses_graphs, bool divides_device)
    : model_(std::move(model)),
      device_(std::move(device)),
      most_batch_(model_->fixed_batch() > 0 ? model_->fixed_batch() : most_batch),
      board_fd_(board_fd),
      arena_fd_(arena_fd),
      arena_bytes_(arena_bytes),
      order_fd_(order_fd),
      lane_(device_ == "cpu"
                ? make_cpu_lane(*model_, done_fd)
                : make_cuda_lane(*model_, c10::Device(device_), stream, done_fd, uses_graphs, divides_device)) {}

std::vector<ModelTensor> ServeWorker::found_outputs() {
  const int rows = model_->fixed_batch() > 0 ? model_->fixed_batch() : std::min(most_batch_, kProbeBatch);
  const std::vector<std::string> names = model_->output_names();
  const std::vector<at::Tensor> given = lane_->try_out(sample_inputs(model_->inputs(), rows));
  if (given.empty()) throw UsageError("the model gave nothing: it must return a tensor, or several");
  std::vector<ModelTensor> outputs;
  for (std::size_t i = 0; i < given.size(); ++i) {
    check_first_dimension(given[i], i, rows);
    std::string name = i < names.size()    ? names[i]
                       : given.size() == 1 ? std::string("output")
                                           : fmt::format("output_{}", i);
    outputs.push_back({.name = std::move(name),
                       .type = given[i].scalar_type(),
                       .shape = {given[i].sizes().begin() + 1, given[i].sizes().end()}});
    datatype_of(outputs.back().type);
  }
  return outputs;
}

WorkerReady ServeWorker::prepare(double measure_s) {
  const c10::InferenceMode inference;
  std::vector<ModelTensor> outputs = found_outputs();
  memory_ = std::make_unique<BatchMemory>(board_fd_, arena_fd_, static_cast<std::size_t>(arena_bytes_),
                                          model_->inputs(), std::move(outputs), most_batch_, device_ != "cpu");
  lane_->attach(*memory_);
  fill_inputs();
  WorkerReady ready{.platform = fmt::format("{} on {}", model_->platform(), device_ == "cpu" ? "the CPU" : device_),
                    .inputs = {},
                    .outputs = {},
                    .times = measured_times(measure_s, 0),
                    .most_batch = most_batch_,
                    .board_bytes = static_cast<std::int64_t>(memory_->board_bytes()),
                    .pageable_shift = memory_->pageable_shift(),
                    .part_times = measured_part_times(measure_s)};
  for (std::size_t i = 0; i < memory_->inputs().size(); ++i) {
    const ModelTensor& one = memory_->inputs()[i];
    ready.inputs.push_back({one.name, datatype_of(one.type), one.shape, memory_->input_at(i)});
  }
  for (std::size_t i = 0; i < memory_->outputs().size(); ++i) {
    const ModelTensor& one = memory_->outputs()[i];
    ready.outputs.push_back({one.name, datatype_of(one.type), one.shape, memory_->output_at(i)});
  }
  return ready;
}

void ServeWorker::fill_inputs() const {
  const std::vector<at::Tensor> samples = sample_inputs(model_->inputs(), most_batch_);
  for (std::size_t i = 0; i < samples.size(); ++i) memory_->input(i, most_batch_).copy_(samples[i]);
}

std::vector<WorkerTime> ServeWorker::measured_times(double measure_s, int parts) const {
  if (model_->fixed_batch() > 0) {
    lane_->time_of(most_batch_, parts);
    return {{1, std::min(lane_->time_of(most_batch_, parts), lane_->time_of(most_batch_, parts))}};
  }
  const MeasuringTurn turn(arena_fd_);
  std::vector<WorkerTime> times;
  const std::int64_t end_ns = now_ns() + nanoseconds(measure_s);
  for (int batch = 1; batch <= most_batch_;
       batch = batch < most_batch_ ? std::min(2 * batch, most_batch_) : batch + 1) {
    lane_->time_of(batch, parts);  // kernels are chosen, memory is found
    std::vector<double> runs;
    do {
      runs.push_back(lane_->time_of(batch, parts));
    } while (static_cast<int>(runs.size()) < kMostRuns && now_ns() < end_ns);
    // What others on the machine take is not the model's. More samples never take less time.
    std::ranges::sort(runs);
    times.push_back({batch, std::max(runs[runs.size() / 4], times.empty() ? 0 : times.back().s)});
    // The sizes that are left are in a straight line with the last two.
    if (now_ns() > end_ns && times.size() >= 2) break;
  }
  return times;
}

// The time is shared by all parts.
std::vector<WorkerPartTimes> ServeWorker::measured_part_times(double measure_s) const {
  std::vector<WorkerPartTimes> found;
  for (int parts = 1; parts <= lane_->device_parts(); ++parts) {
    found.push_back({parts, measured_times(measure_s / lane_->device_parts(), parts)});
  }
  return found;
}

void ServeWorker::run() {
  const c10::InferenceMode inference;
  BatchBoard& board = memory_->board();
  for (;;) {
    std::uint64_t count = 0;
    if (eventfd_read(order_fd_, &count) != 0) {
      if (errno == EINTR) continue;
      return;
    }
    const std::uint64_t batch = board.number;
    const BatchNotice way = board.notice;
    board.is_failed = 0;
    board.copy_in_ns = board.launch_ns = board.copy_out_ns = -1;
    board.begun_ns = now_ns();
    try {
      if (!lane_->carry_out()) continue;
    } catch (const std::exception& error) {
      fail(text_of(error));
    }
    board.done.store(batch, std::memory_order_release);
    lane_->tell(batch, way);
  }
}

void ServeWorker::fail(const std::string& message) const {
  BatchBoard& board = memory_->board();
  board.is_failed = 1;
  const std::size_t count = std::min(message.size(), board.message.size() - 1);
  std::memcpy(board.message.data(), message.data(), count);
  board.message[count] = '\0';
}

}  // namespace stash
