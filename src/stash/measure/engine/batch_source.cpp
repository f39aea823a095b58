#include "stash/measure/engine/batch_source.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "stash/core/clock.h"

namespace stash {
struct BatchSource::InFlight {
  BatchView view;
  std::unique_ptr<c10::Event> copied;  // null: used in place until the step is over
};

BatchSource::BatchSource(const Graph& graph, const Job& job, Device& device, Pipeline* pipeline, SpanLog& spans)
    : graph_(graph), job_(job), device_(device), pipeline_(pipeline), spans_(spans) {
  if (device_.emulated() != nullptr) return;  // its layers look at no batch
  Batch first;
  if (pipeline_ != nullptr) {
    const BatchView prepared = pipeline_->next();
    const Batch seen = view(prepared);
    first = {seen.input.clone(), seen.target.clone()};
    pipeline_->release(prepared);
  } else {
    first = random_batch();
  }
  if (device_.is_accelerator()) host_ = {device_.host_copy(first.input), device_.host_copy(first.target)};
  resident_ = to_device(first);
}

BatchSource::~BatchSource() = default;

Batch BatchSource::random_batch() const {
  const int64_t n = job_.batch;
  if (graph_.input == InputKind::images) {
    return {at::randn({n, 3, graph_.image_size, graph_.image_size}), at::randint(graph_.classes, {n}, at::kLong)};
  }
  const at::Tensor tokens = at::randint(graph_.classes, {n, graph_.seq_len + 1}, at::kLong);
  BatchView prepared;
  prepared.tokens = tokens.data_ptr<int64_t>();
  const Batch seen = view(prepared);
  return {seen.input.clone(), seen.target.clone()};
}

Batch BatchSource::view(const BatchView& prepared) const {
  const int64_t n = job_.batch;
  if (graph_.input == InputKind::images) {
    return {at::from_blob(prepared.images, {n, 3, graph_.image_size, graph_.image_size}, at::kFloat),
            at::from_blob(prepared.labels, {n}, at::kLong)};
  }
  const at::Tensor all = at::from_blob(prepared.tokens, {n, graph_.seq_len + 1}, at::kLong);
  const at::Tensor input = all.narrow(1, 0, graph_.seq_len);
  // Positions of an answer, which a token file does not have: any that are in range will do for timing.
  if (graph_.layers.back().op == Op::span_loss) return {input, all.narrow(1, 0, 2).remainder(graph_.seq_len)};
  return {input, all.narrow(1, 1, graph_.seq_len)};
}

Batch BatchSource::to_device(const Batch& batch) const {
  const c10::Device to = device_.torch_device();
  Batch moved{batch.input.to(to, /*non_blocking=*/true), batch.target.to(to, /*non_blocking=*/true)};
  if (job_.channels_last && moved.input.dim() == 4)
    moved.input = moved.input.contiguous(at::MemoryFormat::ChannelsLast);
  return moved;
}

const Batch& BatchSource::copied(const Batch& batch) {
  current_ = to_device(batch);
  if (device_.is_accelerator()) spans_.mark(SpanKind::copy);
  return current_;
}

const Batch& BatchSource::staged() { return copied(host_); }

const Batch& BatchSource::next() {
  // One buffer stays with the step that reads it; more only while their copies are under way.
  recycle(device_.is_accelerator() ? 1 : 0);
  const std::int64_t asked_ns = now_ns();
  spans_.skip(asked_ns);
  const BatchView prepared = pipeline_->next();
  const std::int64_t got_ns = now_ns();
  waited_s_ += seconds(got_ns - asked_ns);
  spans_.mark(SpanKind::input_wait, got_ns);
  if (EmulatedStream* const stream = device_.emulated(); stream != nullptr) {
    stream->arrive(prepared.made_ns);
    pipeline_->release(prepared);
    return current_;
  }
  copied(view(prepared));
  InFlight used{prepared, nullptr};
  if (device_.is_accelerator()) {
    const c10::impl::VirtualGuardImpl guard(device_.torch_device().type());
    used.copied = std::make_unique<c10::Event>(device_.torch_device().type());
    used.copied->record(guard.getStream(device_.torch_device()));
  }
  in_flight_.push_back(std::move(used));
  return current_;
}

void BatchSource::recycle(std::size_t keep) {
  while (!in_flight_.empty()) {
    InFlight& oldest = in_flight_.front();
    if (oldest.copied && !oldest.copied->query()) {
      if (in_flight_.size() <= keep) return;
      oldest.copied->synchronize();
    }
    pipeline_->release(oldest.view);
    in_flight_.pop_front();
  }
}

void BatchSource::finish() { recycle(0); }

}  // namespace stash
