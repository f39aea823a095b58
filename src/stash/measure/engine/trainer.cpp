#include "stash/measure/engine/trainer.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <unordered_map>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr std::int64_t kFirstBucketBytes = 1024 * 1024;     // DistributedDataParallel's, so that reducing starts early
constexpr std::size_t kBroadcastBytes = 250 * 1024 * 1024;  // DistributedDataParallel's, one buffer a broadcast

// Gradients are summed and not divided: the emulated accelerator must not spend the CPU that it spares.
class PlainAllReduce : public c10d::CppCommHookInterface<c10::intrusive_ptr<c10d::ProcessGroup>> {
 public:
  using CppCommHookInterface::CppCommHookInterface;
  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    std::vector<at::Tensor> tensors{bucket.getBufferRef()};
    return state_->allreduce(tensors)->getFuture();
  }
};

std::unique_ptr<c10d::Reducer> make_reducer(const Network& network, c10::intrusive_ptr<c10d::ProcessGroup> group,
                                            std::int64_t bucket_bytes) {
  // Buckets hold parameters in reverse order: about the order in which their gradients become ready.
  const std::vector<at::Tensor>& parameters = network.parameters();
  const std::vector<bool> dense(parameters.size(), false);
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
      parameters, {static_cast<std::size_t>(kFirstBucketBytes), static_cast<std::size_t>(bucket_bytes)}, dense);
  std::reverse(buckets.begin(), buckets.end());
  std::reverse(limits.begin(), limits.end());
  return std::make_unique<c10d::Reducer>(parameters, buckets,
#ifdef STASH_REDUCER_TAKES_SIZE_LIMITS
                                         limits,
#endif
                                         std::move(group), dense, bucket_bytes, /*find_unused_parameters=*/false,
                                         /*gradient_as_bucket_view=*/network.is_emulated(),
                                         std::unordered_map<std::size_t, std::string>{}, kFirstBucketBytes
#ifdef STASH_REDUCER_TAKES_UNUSED_OPTIONS
                                         ,
                                         /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false
#endif
#ifdef STASH_REDUCER_TAKES_CAP_LIST
                                         ,
                                         std::vector<int64_t>{}
#endif
  );
}

}  // namespace

Trainer::Trainer(Network& network, Device& device, c10::intrusive_ptr<c10d::ProcessGroup> group,
                 std::int64_t bucket_bytes, double delay_s, RankState& state, SpanLog& spans)
    : network_(network), device_(device), group_(std::move(group)), delay_s_(delay_s), state_(state), spans_(spans) {
  use_bucket(bucket_bytes);
  for (const at::Tensor& parameter : network_.parameters()) {
    parameter.register_hook([&state = state_](const at::Tensor&) { state.beat(Phase::working); });
  }
}

Trainer::~Trainer() {
  for (const auto& [bytes, reducer] : reducers_) reducer->remove_autograd_hooks();
}

void Trainer::use_bucket(std::int64_t bytes) {
  std::unique_ptr<c10d::Reducer>& reducer = reducers_[bytes];
  if (!reducer) {
    reducer = make_reducer(network_, group_, bytes);
    if (network_.is_emulated()) reducer->register_comm_hook(std::make_unique<PlainAllReduce>(group_));
  }
  reducer_ = reducer.get();
}

void Trainer::broadcast_weights() {
  std::vector<at::Tensor> tensors;
  for (const at::Tensor& parameter : network_.parameters()) tensors.push_back(parameter.detach());
  for (const at::Tensor& buffer : network_.buffers()) tensors.push_back(buffer);
  c10d::broadcast_coalesced(group_, tensors, kBroadcastBytes, /*rank=*/0);
  network_.reset_optimizer();  // momentum of ranks that trained apart would drive their weights apart again
}

double Trainer::weight_sum() const { return network_.parameters().front().detach().sum().item<double>(); }

void Trainer::delay() {
  if (delay_s_ <= 0 || !delayed_) return;
  device_.synchronize();  // a sleeping host would hide behind work that is still queued
  EmulatedStream* const stream = device_.emulated();
  const std::int64_t deadline_ns = (stream != nullptr ? stream->next_start_ns() : now_ns()) + nanoseconds(delay_s_);
  sleep_until_ns(deadline_ns);
  if (stream != nullptr) stream->arrive(deadline_ns);
  spans_.skip();
}

void Trainer::step(const Batch& batch) {
  state_.beat(Phase::working);
  delay();
  reducer_->prepare_for_forward();
  if (reducer_->should_rebuild_buckets()) reducer_->rebuild_buckets();
  at::Tensor loss = network_.forward(batch);
  spans_.mark(SpanKind::forward);
  reducer_->prepare_for_backward({});
  torch::autograd::backward({loss}, {});
  spans_.mark(SpanKind::backward);
  network_.update();
  spans_.mark(SpanKind::optimizer);
  loss_ = loss.detach();
  state_.step.fetch_add(1, std::memory_order_relaxed);
}

std::optional<double> Trainer::loss() const {
  if (network_.is_emulated() || !loss_.defined()) return std::nullopt;
  return loss_.item<double>();
}

std::vector<Bucket> Trainer::buckets() const {
  std::vector<Bucket> result;
  for (c10d::GradBucket& bucket : reducer_->get_grad_buckets()) {
    result.push_back({.bytes = static_cast<std::int64_t>(bucket.getBufferRef().nbytes()),
                      .parameters = static_cast<int>(bucket.getParameters().size())});
  }
  return result;
}

}  // namespace stash
