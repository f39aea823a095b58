#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stash/launch/shared_state.h"
#include "stash/measure/span_log.h"
#include "stash/measure/switch/collective_log.h"
#include "stash/measure/switch/injected_link.h"
#include "stash/measure/switch/node_collectives.h"
#include "stash/measure/torch_headers.h"
#include "stash/ruler/switch_position.h"

namespace stash {

// What a c10d::OpType is called in profiles.
const char* collective_name(int op);

// A backend around the real one that can confine or switch off what goes through, and counts and times it.
// It forwards every virtual function of c10d::Backend that the torch in use has.
class SwitchBackend : public c10d::Backend {
 public:
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;
  using BackendPtr = c10::intrusive_ptr<c10d::Backend>;
  using Tensors = std::vector<at::Tensor>;

  SwitchBackend(BackendPtr real, std::shared_ptr<CollectiveLog> log);

  void set_position(SwitchPosition position) { position_.store(position, std::memory_order_relaxed); }
  SwitchPosition position() const { return position_.load(std::memory_order_relaxed); }
  // The number of its process group in the log.
  void set_group(int number) { group_ = number; }
  int group() const { return group_; }
  // The backend that spans the node's ranks, and which ranks of the group they are, in its order.
  void set_node(BackendPtr backend, std::vector<int> ranks) { node_.emplace(std::move(backend), std::move(ranks)); }
  // The emulated accelerator that waits for what is moved; null: there is none. Not owned.
  void set_stream(EmulatedStream* stream) { stream_ = stream; }
  // `stream`: as above.
  void set_link(double bytes_per_s, EmulatedStream* stream) {
    link_ = std::make_unique<InjectedLink>(bytes_per_s, stream);
  }
  // Sums of many fp32 numbers go out as bf16, with the conversion that this costs; on the emulated accelerator, whose
  // gradients have no values, as half of the numbers. For tries: off otherwise.
  void set_halves(bool halves) { halves_.store(halves, std::memory_order_relaxed); }
  // Shown to the supervisor while a collective is under way.
  void set_state(RankState& state) { state_ = &state; }
  // Where collectives of a traced window are kept.
  void set_spans(std::shared_ptr<SpanLog> spans) { spans_ = std::move(spans); }
  // Stream-ordered collectives are counted and not timed: nobody will call collect_device_times().
  void count_on_device() { device_timing_ = false; }
  // Adds the device times of stream-ordered collectives to the log. Call when the device is idle.
  void collect_device_times();
  const BackendPtr& real() const { return real_; }
  CollectiveLog& log() { return *log_; }

  // clang-format off
  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& opts) override;
  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& opts) override;
  WorkPtr allreduce_sparse(Tensors& tensors, const c10d::AllreduceOptions& opts) override;
  WorkPtr allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& opts) override;
  WorkPtr reduce(Tensors& tensors, const c10d::ReduceOptions& opts) override;
  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& opts) override;
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& opts) override;
  WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& opts) override;
  WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions& opts) override;
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& opts) override;
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& opts) override;
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ReduceScatterOptions& opts) override;
  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& opts) override;
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs, const c10d::ReduceScatterOptions& opts) override;
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits, std::vector<int64_t>& input_splits, const c10d::AllToAllOptions& opts) override;
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& opts) override;
  WorkPtr send(Tensors& tensors, int destination, int tag) override;
  WorkPtr recv(Tensors& tensors, int source, int tag) override;
  WorkPtr recvAnysource(Tensors& tensors, int tag) override;
  WorkPtr barrier(const c10d::BarrierOptions& opts) override;
  void monitoredBarrier(const c10d::BarrierOptions& opts, bool wait_all_ranks) override;

  // What is not a collective goes to the real backend whatever the position.
  bool supportsSplitting() const override { return real_->supportsSplitting(); }
  const std::string getBackendName() const override { return real_->getBackendName(); }
  void startCoalescing() override;
  WorkPtr endCoalescing() override;
  void setSequenceNumberForGroup() override { real_->setSequenceNumberForGroup(); }
  uint64_t getSequenceNumberForGroup() override { return real_->getSequenceNumberForGroup(); }
  void registerOnCompletionHook(std::function<void(std::shared_ptr<c10d::WorkInfo>)>&& hook) override { real_->registerOnCompletionHook(std::move(hook)); }
  void waitForPendingWorks() override { real_->waitForPendingWorks(); }
  void enableCollectivesTiming() override { real_->enableCollectivesTiming(); }
  void eagerConnectSingleDevice(at::Device device) override { real_->eagerConnectSingleDevice(device); }
#ifdef STASH_BACKEND_HAS_SUPPORTSCOALESCING
  bool supportsCoalescing() const override { return real_->supportsCoalescing(); }
#endif
#ifdef STASH_BACKEND_HAS_SUPPORTSTIMEESTIMATION
  bool supportsTimeEstimation() const override { return real_->supportsTimeEstimation(); }
#endif
#ifdef STASH_BACKEND_HAS_SUPPORTSSHRINKING
  bool supportsShrinking() const override { return real_->supportsShrinking(); }
#endif
#ifdef STASH_BACKEND_HAS_SHRINK
  BackendPtr shrink(const std::vector<int64_t>& excluded, int flags, const c10::intrusive_ptr<Options>& opts) override { return real_->shrink(excluded, flags, opts); }
#endif
#ifdef STASH_BACKEND_HAS_SETTIMEOUT
  void setTimeout(std::chrono::milliseconds timeout) override { real_->setTimeout(timeout); }
#endif
#ifdef STASH_BACKEND_HAS_GETBACKENDOPTIONS
  c10::intrusive_ptr<Options> getBackendOptions() override { return real_->getBackendOptions(); }
#endif
#ifdef STASH_BACKEND_HAS_SPLIT
  BackendPtr split(const c10::intrusive_ptr<c10d::Store>& store, const std::vector<int>& ranks, const c10::intrusive_ptr<Options>& opts) override { return real_->split(store, ranks, opts); }
#endif
#ifdef STASH_BACKEND_HAS_MERGE
  BackendPtr merge(const c10::intrusive_ptr<c10d::Store>& store, const c10::intrusive_ptr<Options>& opts, const int& rank, const int& size) override { return real_->merge(store, opts, rank, size); }
#endif
#ifdef STASH_BACKEND_HAS_SETGROUPUID
  void setGroupUid(const std::string& uid) override { c10d::Backend::setGroupUid(uid); real_->setGroupUid(uid); }
#endif
#ifdef STASH_BACKEND_HAS_GETERROR
  c10d::ErrorType getError() override { return real_->getError(); }
#endif
#ifdef STASH_BACKEND_HAS_GETMEMALLOCATOR
  std::shared_ptr<c10::Allocator> getMemAllocator() override { return real_->getMemAllocator(); }
#endif
#ifdef STASH_BACKEND_HAS_ALLOCATETENSOR
  at::Tensor allocateTensor(long size, at::TensorOptions options) override { return real_->allocateTensor(size, options); }
#endif
#ifdef STASH_BACKEND_HAS_SUPPORTSTENSORALLOC
  bool supportsTensorAlloc(c10::DeviceIndex device) override { return real_->supportsTensorAlloc(device); }
#endif
#ifdef STASH_BACKEND_HAS_ABORT
  void abort() override { real_->abort(); }
#endif
#ifdef STASH_BACKEND_HAS_SHUTDOWN
  void shutdown() override { real_->shutdown(); }
#endif
#ifdef STASH_BACKEND_HAS_SUSPEND
  void suspend() override { real_->suspend(); }
#endif
#ifdef STASH_BACKEND_HAS_RESUME
  void resume() override { real_->resume(); }
#endif
#ifdef STASH_BACKEND_HAS_GETMEMORYSTATS
  std::unordered_map<std::string, uint64_t> getMemoryStats() override { return real_->getMemoryStats(); }
#endif
  // clang-format on

 private:
  // One collective: its kind, its payload as nccl-tests counts it, and the tensors that it fills.
  struct Issue {
    c10d::OpType op;
    std::int64_t bytes;
    Tensors outputs;
    std::int64_t issued_ns = 0;
    int ready_event = EventPool::kNone;  // of its issuer's stream, where a device can start it
  };
  // `locally` fills the outputs where the collective is switched off.
  template <typename OnReal, typename OnNode, typename Locally>
  WorkPtr route(Issue issue, OnReal&& on_real, OnNode&& on_node, Locally&& locally);
  WorkPtr track(const Issue& issue, int peers, WorkPtr work);
  WorkPtr sum_all(Tensors& tensors, const c10d::AllreduceOptions& opts);
  SpanPlace* keep(const Issue& issue);  // null: the window is not traced

  void time_on_device(const WorkPtr& work, CollectiveLog::Entry& entry, SpanPlace* span);

  struct DeviceTimed {
    WorkPtr work;
    CollectiveLog::Entry* entry;
    SpanPlace* span;  // may be null
  };

  BackendPtr real_;
  std::shared_ptr<CollectiveLog> log_;
  std::optional<NodeCollectives> node_;
  int group_ = 0;
  RankState* state_ = nullptr;
  EmulatedStream* stream_ = nullptr;
  std::unique_ptr<InjectedLink> link_;
  std::atomic<SwitchPosition> position_{SwitchPosition::pass};
  std::atomic<bool> halves_{false};
  std::shared_ptr<SpanLog> spans_;  // null: none are kept
  bool stream_ordered_;             // completion is an event of the device, not of the host
  bool device_timing_ = true;
  std::vector<DeviceTimed> device_timed_;  // reserved ahead; what does not fit is not timed
};

}  // namespace stash
