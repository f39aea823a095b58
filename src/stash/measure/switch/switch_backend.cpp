#include "stash/measure/switch/switch_backend.h"

#include "stash/core/clock.h"
#include "stash/measure/switch/future_work.h"
#include "stash/measure/switch/half_sums.h"
#include "stash/measure/switch/local_results.h"

namespace stash {
namespace {

using Tensors = SwitchBackend::Tensors;
using WorkPtr = SwitchBackend::WorkPtr;

constexpr std::size_t kDeviceTimedLimit = 65536;  // works whose device times wait for the end of a window

std::int64_t bytes_of(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

std::int64_t bytes_of(const Tensors& tensors) {
  std::int64_t sum = 0;
  for (const at::Tensor& tensor : tensors) sum += bytes_of(tensor);
  return sum;
}

std::int64_t bytes_of(const std::vector<Tensors>& lists) {
  std::int64_t sum = 0;
  for (const Tensors& list : lists) sum += bytes_of(list);
  return sum;
}

Tensors flattened(const std::vector<Tensors>& lists) {
  Tensors all;
  for (const Tensors& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Bytes that each rank's link carries for a payload, as nccl-tests defines bus bandwidth; `n` ranks take part.
double wire_bytes(c10d::OpType op, std::int64_t payload, int n) {
  const double share = n > 1 ? static_cast<double>(n - 1) / n : 0;
  switch (op) {
    case c10d::OpType::ALLREDUCE:
    case c10d::OpType::ALLREDUCE_COALESCED:
    case c10d::OpType::_ALLREDUCE_SPARSE:
      return 2 * share * static_cast<double>(payload);
    case c10d::OpType::BROADCAST:
    case c10d::OpType::REDUCE:
    case c10d::OpType::SEND:
    case c10d::OpType::RECV:
    case c10d::OpType::RECVANYSOURCE:
      return n > 1 ? static_cast<double>(payload) : 0;
    case c10d::OpType::BARRIER:
      return 0;
    default:
      return share * static_cast<double>(payload);
  }
}

}  // namespace

const char* collective_name(int op) {
  switch (static_cast<c10d::OpType>(op)) {
    case c10d::OpType::ALLREDUCE:
    case c10d::OpType::ALLREDUCE_COALESCED:
      return "allreduce";
    case c10d::OpType::BROADCAST:
      return "broadcast";
    case c10d::OpType::REDUCE:
      return "reduce";
    case c10d::OpType::ALLGATHER:
    case c10d::OpType::_ALLGATHER_BASE:
    case c10d::OpType::ALLGATHER_COALESCED:
      return "allgather";
    case c10d::OpType::REDUCE_SCATTER:
    case c10d::OpType::_REDUCE_SCATTER_BASE:
      return "reduce_scatter";
    case c10d::OpType::ALLTOALL:
    case c10d::OpType::ALLTOALL_BASE:
      return "alltoall";
    case c10d::OpType::GATHER:
      return "gather";
    case c10d::OpType::SCATTER:
      return "scatter";
    case c10d::OpType::SEND:
      return "send";
    case c10d::OpType::RECV:
    case c10d::OpType::RECVANYSOURCE:
      return "recv";
    case c10d::OpType::BARRIER:
      return "barrier";
    default:
      return "other";
  }
}

namespace {

// False: this kind of work has no future, and nobody can tell when it is done but who waits for it.
template <typename Callback>
bool call_when_done(const WorkPtr& work, Callback&& callback) {
  try {
    work->getFuture()->addCallback(std::forward<Callback>(callback), /*uses_future=*/false);
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

}  // namespace

SwitchBackend::SwitchBackend(BackendPtr real, std::shared_ptr<CollectiveLog> log)
    : c10d::Backend(real->getRank(), real->getSize()),
      real_(std::move(real)),
      log_(std::move(log)),
      stream_ordered_(real_->getBackendName() == "nccl") {
  c10d::Backend::setGroupUid(real_->getGroupUid());
}

template <typename OnReal, typename OnNode, typename Locally>
WorkPtr SwitchBackend::route(Issue issue, OnReal&& on_real, OnNode&& on_node, Locally&& locally) {
  issue.issued_ns = now_ns();
  const SwitchPosition position = this->position();
  if (position == SwitchPosition::off) {
    locally();
    return make_completed_work(getRank(), issue.op, std::move(issue.outputs));
  }
  if (stream_ordered_ && spans_) issue.ready_event = spans_->record_event();
  // One node: as issued is among its ranks.
  if (position == SwitchPosition::node && node_) return track(issue, node_->size(), on_node(*node_));
  return track(issue, getSize(), on_real(*real_));
}

SpanPlace* SwitchBackend::keep(const Issue& issue) {
  SpanPlace* const span =
      spans_ ? spans_->issue(group_, static_cast<int>(issue.op), issue.bytes, issue.issued_ns) : nullptr;
  if (span == nullptr || !stream_ordered_ || link_) return span;
  span->from_event = issue.ready_event;
  span->queue = this;
  return span;
}

WorkPtr SwitchBackend::track(const Issue& issue, int peers, WorkPtr work) {
  if (state_ != nullptr) state_->beat(Phase::collective);
  if (!work) return work;
  log_->arrive(issue.issued_ns);
  if (stream_ != nullptr && !link_) {
    call_when_done(work, [stream = stream_](c10::ivalue::Future&) { stream->arrive(now_ns()); });
  }
  CollectiveLog::Entry* entry = log_->entry(group_, static_cast<int>(issue.op), issue.bytes);
  if (link_) work = link_->carry(getRank(), issue.op, work, wire_bytes(issue.op, issue.bytes, peers), issue.outputs);
  if (entry == nullptr) return work;
  SpanPlace* const span = keep(issue);
  if (stream_ordered_ && !link_) {
    if (device_timing_) {
      time_on_device(work, *entry, span);
    } else {
      entry->count.fetch_add(1, std::memory_order_relaxed);
    }
    return work;
  }
  const bool timed = call_when_done(work, [entry, span, issued_ns = issue.issued_ns](c10::ivalue::Future&) {
    const std::int64_t done_ns = now_ns();
    entry->add(done_ns - issued_ns);
    if (span != nullptr) span->end_ns.store(done_ns, std::memory_order_release);
  });
  if (timed) return work;
  entry->count.fetch_add(1, std::memory_order_relaxed);
  if (span != nullptr) span->end_ns = issue.issued_ns;  // all that is known of it
  return work;
}

// The work itself is not timed yet where it is the first: the backend learns of it here.
void SwitchBackend::time_on_device(const WorkPtr& work, CollectiveLog::Entry& entry, SpanPlace* span) {
  if (device_timed_.capacity() == 0) {
    device_timed_.reserve(kDeviceTimedLimit);
    real_->enableCollectivesTiming();
    return;
  }
  if (device_timed_.size() < kDeviceTimedLimit) device_timed_.push_back({work, &entry, span});
}

void SwitchBackend::collect_device_times() {
  for (const DeviceTimed& timed : device_timed_) {
    try {
      const auto duration_ns = static_cast<std::int64_t>(static_cast<double>(timed.work->getDuration()) * 1e6);
      timed.entry->add(duration_ns);
      if (timed.span != nullptr) timed.span->device_ns = duration_ns;
    } catch (const c10::Error&) {
      timed.entry->count.fetch_add(1, std::memory_order_relaxed);
    }
  }
  device_timed_.clear();
}

WorkPtr SwitchBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& opts) {
  return route(
      {c10d::OpType::BROADCAST, bytes_of(tensors), tensors},
      [&](c10d::Backend& real) { return real.broadcast(tensors, opts); },
      [&](NodeCollectives& node) {
        c10d::BroadcastOptions own = opts;
        own.rootRank = node.root(static_cast<int>(opts.rootRank));
        return node.backend().broadcast(tensors, own);
      },
      [] {});
}

WorkPtr SwitchBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& opts) {
  const bool halves = halves_.load(std::memory_order_relaxed) && position() != SwitchPosition::off;
  if (!halves || !can_be_halved(tensors)) return sum_all(tensors, opts);
  Tensors half = halved(tensors, stream_ != nullptr);
  const WorkPtr work = sum_all(half, opts);
  return with_whole_numbers(getRank(), work, std::move(half), tensors, stream_ != nullptr);
}

WorkPtr SwitchBackend::sum_all(Tensors& tensors, const c10d::AllreduceOptions& opts) {
  return route(
      {c10d::OpType::ALLREDUCE, bytes_of(tensors), tensors},
      [&](c10d::Backend& real) { return real.allreduce(tensors, opts); },
      [&](NodeCollectives& node) { return node.backend().allreduce(tensors, opts); }, [] {});
}

WorkPtr SwitchBackend::allreduce_sparse(Tensors& tensors, const c10d::AllreduceOptions& opts) {
  return route(
      {c10d::OpType::_ALLREDUCE_SPARSE, 0, tensors},
      [&](c10d::Backend& real) { return real.allreduce_sparse(tensors, opts); },
      [&](NodeCollectives& node) { return node.backend().allreduce_sparse(tensors, opts); }, [] {});
}

WorkPtr SwitchBackend::allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& opts) {
  return route(
      {c10d::OpType::ALLREDUCE_COALESCED, bytes_of(tensors), tensors},
      [&](c10d::Backend& real) { return real.allreduce_coalesced(tensors, opts); },
      [&](NodeCollectives& node) { return node.backend().allreduce_coalesced(tensors, opts); }, [] {});
}

WorkPtr SwitchBackend::reduce(Tensors& tensors, const c10d::ReduceOptions& opts) {
  return route(
      {c10d::OpType::REDUCE, bytes_of(tensors), tensors},
      [&](c10d::Backend& real) { return real.reduce(tensors, opts); },
      [&](NodeCollectives& node) {
        c10d::ReduceOptions own = opts;
        own.rootRank = node.root(static_cast<int>(opts.rootRank));
        return node.backend().reduce(tensors, own);
      },
      [] {});
}

WorkPtr SwitchBackend::allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& opts) {
  return route(
      {c10d::OpType::ALLGATHER, bytes_of(outputs), flattened(outputs)},
      [&](c10d::Backend& real) { return real.allgather(outputs, inputs, opts); },
      [&](NodeCollectives& node) { return node.allgather(outputs, inputs, opts); },
      [&] { local_results::allgather(outputs, inputs); });
}

WorkPtr SwitchBackend::_allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& opts) {
  return route(
      {c10d::OpType::_ALLGATHER_BASE, bytes_of(output), {output}},
      [&](c10d::Backend& real) { return real._allgather_base(output, input, opts); },
      [&](NodeCollectives& node) { return node.allgather_base(output, input, opts); },
      [&] { local_results::allgather_base(output, input); });
}

WorkPtr SwitchBackend::allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                           const c10d::AllgatherOptions& opts) {
  return route(
      {c10d::OpType::ALLGATHER_COALESCED, bytes_of(outputs), flattened(outputs)},
      [&](c10d::Backend& real) { return real.allgather_coalesced(outputs, inputs, opts); },
      [&](NodeCollectives& node) { return node.allgather(outputs, inputs, opts); },
      [&] { local_results::allgather(outputs, inputs); });
}

WorkPtr SwitchBackend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                       const c10d::AllgatherOptions& opts) {
  return route(
      {c10d::OpType::COALESCED, bytes_of(outputs), outputs},
      [&](c10d::Backend& real) { return real.allgather_into_tensor_coalesced(outputs, inputs, opts); },
      [&](NodeCollectives& node) { return node.allgather_coalesced(outputs, inputs, opts); },
      [&] { local_results::allgather_coalesced(outputs, inputs); });
}

WorkPtr SwitchBackend::gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& opts) {
  return route(
      {c10d::OpType::GATHER, bytes_of(inputs) * getSize(), flattened(outputs)},
      [&](c10d::Backend& real) { return real.gather(outputs, inputs, opts); },
      [&](NodeCollectives& node) { return node.gather(outputs, inputs, opts); },
      [&] { local_results::allgather(outputs, inputs); });
}

WorkPtr SwitchBackend::scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& opts) {
  return route(
      {c10d::OpType::SCATTER, bytes_of(outputs) * getSize(), outputs},
      [&](c10d::Backend& real) { return real.scatter(outputs, inputs, opts); },
      [&](NodeCollectives& node) { return node.scatter(outputs, inputs, opts); },
      [&] { local_results::scatter(outputs, inputs, getRank()); });
}

WorkPtr SwitchBackend::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                      const c10d::ReduceScatterOptions& opts) {
  return route(
      {c10d::OpType::REDUCE_SCATTER, bytes_of(inputs), outputs},
      [&](c10d::Backend& real) { return real.reduce_scatter(outputs, inputs, opts); },
      [&](NodeCollectives& node) { return node.reduce_scatter(outputs, inputs, opts); },
      [&] { local_results::reduce_scatter(outputs, inputs, getRank()); });
}

WorkPtr SwitchBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                            const c10d::ReduceScatterOptions& opts) {
  return route(
      {c10d::OpType::_REDUCE_SCATTER_BASE, bytes_of(input), {output}},
      [&](c10d::Backend& real) { return real._reduce_scatter_base(output, input, opts); },
      [&](NodeCollectives& node) { return node.reduce_scatter_base(output, input, opts); },
      [&] { local_results::reduce_scatter_base(output, input, getRank()); });
}

WorkPtr SwitchBackend::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                       const c10d::ReduceScatterOptions& opts) {
  return route(
      {c10d::OpType::_REDUCE_SCATTER_BASE, bytes_of(inputs), outputs},
      [&](c10d::Backend& real) { return real.reduce_scatter_tensor_coalesced(outputs, inputs, opts); },
      [&](NodeCollectives& node) { return node.reduce_scatter_coalesced(outputs, inputs, opts); },
      [&] { local_results::reduce_scatter_coalesced(outputs, inputs, getRank()); });
}

WorkPtr SwitchBackend::alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                                     std::vector<int64_t>& input_splits, const c10d::AllToAllOptions& opts) {
  return route(
      {c10d::OpType::ALLTOALL_BASE, bytes_of(input), {output}},
      [&](c10d::Backend& real) { return real.alltoall_base(output, input, output_splits, input_splits, opts); },
      [&](NodeCollectives& node) {
        return node.alltoall_base(output, input, output_splits, input_splits, getSize(), opts);
      },
      [&] { local_results::alltoall_base(output, input); });
}

WorkPtr SwitchBackend::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& opts) {
  return route(
      {c10d::OpType::ALLTOALL, bytes_of(inputs), outputs},
      [&](c10d::Backend& real) { return real.alltoall(outputs, inputs, opts); },
      [&](NodeCollectives& node) { return node.alltoall(outputs, inputs, opts); },
      [&] { local_results::alltoall(outputs, inputs); });
}

WorkPtr SwitchBackend::send(Tensors& tensors, int destination, int tag) {
  return route(
      {c10d::OpType::SEND, bytes_of(tensors), tensors},
      [&](c10d::Backend& real) { return real.send(tensors, destination, tag); },
      [&](NodeCollectives& node) {
        return node.has(destination) ? node.backend().send(tensors, node.root(destination), tag)
                                     : make_completed_work(getRank(), c10d::OpType::SEND, tensors);
      },
      [] {});
}

WorkPtr SwitchBackend::recv(Tensors& tensors, int source, int tag) {
  return route(
      {c10d::OpType::RECV, bytes_of(tensors), tensors},
      [&](c10d::Backend& real) { return real.recv(tensors, source, tag); },
      [&](NodeCollectives& node) {
        return node.has(source) ? node.backend().recv(tensors, node.root(source), tag)
                                : make_completed_work(getRank(), c10d::OpType::RECV, tensors);
      },
      [] {});
}

WorkPtr SwitchBackend::recvAnysource(Tensors& tensors, int tag) {
  return route(
      {c10d::OpType::RECVANYSOURCE, bytes_of(tensors), tensors},
      [&](c10d::Backend& real) { return real.recvAnysource(tensors, tag); },
      [&](NodeCollectives& node) { return node.backend().recvAnysource(tensors, tag); }, [] {});
}

WorkPtr SwitchBackend::barrier(const c10d::BarrierOptions& opts) {
  return route(
      {c10d::OpType::BARRIER, 0, {}}, [&](c10d::Backend& real) { return real.barrier(opts); },
      [&](NodeCollectives& node) { return node.backend().barrier(opts); }, [] {});
}

void SwitchBackend::monitoredBarrier(const c10d::BarrierOptions& opts, bool wait_all_ranks) {
  if (position() == SwitchPosition::off) return;
  const bool confined = position() == SwitchPosition::node && node_;
  (confined ? node_->backend() : *real_).monitoredBarrier(opts, wait_all_ranks);
}

// Coalescing brackets calls that this position may have sent elsewhere: the bracket goes where they go.
void SwitchBackend::startCoalescing() {
  if (position() == SwitchPosition::off) return;
  const bool confined = position() == SwitchPosition::node && node_;
  (confined ? node_->backend() : *real_).startCoalescing();
}

WorkPtr SwitchBackend::endCoalescing() {
  if (position() == SwitchPosition::off) return make_completed_work(getRank(), c10d::OpType::COALESCED, {});
  const bool confined = position() == SwitchPosition::node && node_;
  return (confined ? node_->backend() : *real_).endCoalescing();
}

}  // namespace stash
