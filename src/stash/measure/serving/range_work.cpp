#include "stash/measure/serving/range_work.h"

#include <ATen/Functions.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "stash/measure/engine/device.h"

namespace stash {
namespace {

constexpr int kWarmRuns = 2;  // before a capture, so that kernels are chosen and libraries have their memory

}  // namespace

RangeWork::RangeWork(WorkBasis& basis, DeviceRange range, CudaStream stream)
    : cuda_(CudaRuntime::get()), basis_(basis), range_(range), stream_(stream) {}

RangeWork::~RangeWork() {
  for (const auto* const all : {&graphs_, &eager_}) {
    for (const auto& [rows, sized] : *all) {
      for (void* const event : sized.events) cuda_.event_destroy(event);
    }
  }
}

std::vector<int> RangeWork::graph_sizes() const {
  std::vector<int> sizes;
  for (const auto& [rows, sized] : graphs_) sizes.push_back(rows);
  return sizes;
}

SizedBatch& RangeWork::for_batch(int rows, bool is_eager) {
  if (basis_.model.fixed_batch() > 0) rows = basis_.model.fixed_batch();
  const bool has_graph = !is_eager && basis_.pool != nullptr;
  const auto found = has_graph ? graphs_.lower_bound(rows) : eager_.find(rows);
  if (found != (has_graph ? graphs_ : eager_).end()) return found->second;
  return has_graph ? for_size(rows) : make(eager_, rows);
}

SizedBatch& RangeWork::for_size(int rows) {
  if (basis_.model.fixed_batch() > 0) rows = basis_.model.fixed_batch();
  const bool has_graph = basis_.pool != nullptr;
  const auto found = (has_graph ? graphs_ : eager_).find(rows);
  if (found != (has_graph ? graphs_ : eager_).end()) return found->second;
  SizedBatch& sized = make(has_graph ? graphs_ : eager_, rows);
  if (!has_graph || !basis_.can_capture) return sized;
  for (int i = 0; i < kWarmRuns; ++i) run_model(sized);
  synchronize_device(basis_.device);
  capture(sized);
  return sized;
}

SizedBatch& RangeWork::make(std::map<int, SizedBatch>& among, int rows) const {
  SizedBatch& sized = among[rows];
  sized.rows = rows;
  sized.stream = stream_.stream;
  for (const at::Tensor& one : basis_.inputs) sized.inputs.push_back(one.narrow(0, 0, rows));
  for (void*& event : sized.events) {
    cuda_.check(cuda_.event_create(&event, kBlockingEvent), "an event of CUDA could not be made");
  }
  return sized;
}

// What cannot be captured (Python that waits for the device, say) is launched as it is.
void RangeWork::capture(SizedBatch& sized) const {
  try {
    sized.graph = std::make_unique<CapturedGraph>([&] { run_model(sized); }, *basis_.pool);
  } catch (const std::exception&) {
    basis_.can_capture = false;
  }
}

void RangeWork::run_model(SizedBatch& sized) const {
  const c10::impl::VirtualGuardImpl guard(basis_.device.type());
  guard.exchangeStream(c10::Stream::unpack3(stream_.id, basis_.device.index(), basis_.device.type()));
  sized.outputs = basis_.model.run(sized.inputs);
  at::Tensor flags;
  for (at::Tensor& output : sized.outputs) {
    output = output.contiguous();
    if (!output.is_floating_point() || output.numel() == 0) continue;
    const at::Tensor own = at::isnan(output).reshape({output.size(0), -1}).any(1);
    flags = flags.defined() ? flags.logical_or(own) : own;
  }
  sized.not_a_number = flags;
}

void RangeWork::compute(SizedBatch& sized) const {
  if (sized.graph) {
    sized.graph->launch(sized.stream);
  } else {
    run_model(sized);
  }
}

void RangeWork::record(const SizedBatch& sized, std::size_t event) const {
  cuda_.check(cuda_.event_record(sized.events[event], sized.stream), "an event of CUDA could not be recorded");
}

}  // namespace stash
