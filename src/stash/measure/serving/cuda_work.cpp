#include "stash/measure/serving/cuda_work.h"

#include <ATen/Functions.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <utility>

#include "stash/measure/engine/device.h"

namespace stash {
namespace {

constexpr int kWarmRuns = 2;  // before a capture, so that kernels are chosen and libraries have their memory

}  // namespace

CudaWork::CudaWork(BatchModel& model, c10::Device device, std::vector<CudaStream> streams, bool uses_graphs)
    : cuda_(CudaRuntime::get()),
      model_(model),
      device_(device),
      streams_(std::move(streams)),
      uses_graphs_(uses_graphs) {}

CudaWork::~CudaWork() {
  for (const auto& [key, sized] : sized_) {
    for (void* const event : sized.events) cuda_.event_destroy(event);
  }
}

void CudaWork::attach(const BatchMemory& memory) {
  for (std::size_t i = 0; i < memory.inputs().size(); ++i) {
    inputs_.push_back(at::zeros_like(memory.input(i, memory.most_batch()), at::TensorOptions().device(device_)));
    inputs_.back().copy_(memory.input(i, memory.most_batch()));
  }
  synchronize_device(device_);
  if (uses_graphs_) pool_.emplace();
}

SizedBatch& CudaWork::found(int rows, WorkWay way, bool is_exact) {
  if (model_.fixed_batch() > 0) rows = model_.fixed_batch();
  way.is_eager = way.is_eager || !uses_graphs_;
  way.parts = std::clamp(way.parts, 0, most_parts());
  const bool is_any_larger = !is_exact && !way.is_eager;
  const auto place = is_any_larger ? sized_.lower_bound({way, rows}) : sized_.find({way, rows});
  if (place != sized_.end() && std::get<WorkWay>(place->first) == way) return place->second;
  return make(rows, way);
}

SizedBatch& CudaWork::make(int rows, WorkWay way) {
  SizedBatch& sized = sized_[{way, rows}];
  sized.rows = rows;
  sized.stream = streams_[static_cast<std::size_t>(way.parts)];
  for (const at::Tensor& one : inputs_) sized.inputs.push_back(one.narrow(0, 0, rows));
  for (void*& event : sized.events) {
    cuda_.check(cuda_.event_create(&event, kBlockingEvent), "an event of CUDA could not be made");
  }
  if (way.is_eager || !can_capture_) return sized;
  for (int i = 0; i < kWarmRuns; ++i) run_model(sized);
  synchronize_device(device_);
  capture(sized);
  return sized;
}

// What cannot be captured (Python that waits for the device, say) is launched as it is.
void CudaWork::capture(SizedBatch& sized) {
  try {
    sized.graph = std::make_unique<CapturedGraph>([&] { run_model(sized); }, *pool_);
  } catch (const std::exception&) {
    can_capture_ = false;
  }
}

void CudaWork::run_model(SizedBatch& sized) {
  use(sized.stream);
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

void CudaWork::compute(SizedBatch& sized) {
  if (sized.graph) {
    sized.graph->launch(sized.stream.stream);
  } else {
    run_model(sized);
  }
}

void CudaWork::record(const SizedBatch& sized, std::size_t event) const {
  cuda_.check(cuda_.event_record(sized.events[event], sized.stream.stream), "an event of CUDA could not be recorded");
}

void CudaWork::use(const CudaStream& stream) const {
  const c10::impl::VirtualGuardImpl guard(device_.type());
  guard.exchangeStream(c10::Stream::unpack3(stream.id, device_.index(), device_.type()));
}

}  // namespace stash
