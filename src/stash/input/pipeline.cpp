#include "stash/input/pipeline.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/input/upcoming.h"
#include "stash/input/worker.h"

namespace stash {

namespace {

void require(bool holds, std::string_view option, int value) {
  if (!holds) throw UsageError(fmt::format("the input pipeline cannot work with {} = {}", option, value));
}

void check(const PipelineOptions& options, InputKind kind) {
  require(options.batch >= 1, "batch", options.batch);
  require(options.workers >= 1, "workers", options.workers);
  require(options.most_workers >= 0, "most_workers", options.most_workers);
  require(options.prefetch >= 1, "prefetch", options.prefetch);
  require(options.most_prefetch >= 0, "most_prefetch", options.most_prefetch);
  require(options.ranks >= 1, "ranks", options.ranks);
  if (!(options.cpu_ratio >= 1))
    throw UsageError(fmt::format("a loader cannot take {} times the CPU", options.cpu_ratio));
  require(options.rank >= 0 && options.rank < options.ranks, "rank", options.rank);
  if (kind == InputKind::images)
    require(options.image_size >= 1 && options.image_size <= 4096, "image_size", options.image_size);
  if (kind == InputKind::tokens) require(options.seq_len >= 1, "seq_len", options.seq_len);
}

void check_classes(const Dataset& dataset, const PipelineOptions& options) {
  if (dataset.kind() != InputKind::images || options.classes == 0) return;
  if (dataset.classes().value_or(0) <= options.classes) return;
  throw Error(fmt::format("the data set has {} classes, the model knows {}", *dataset.classes(), options.classes));
}

SampleSpec spec_of(const PipelineOptions& options, InputKind kind) {
  return {kind, options.image_size, options.seq_len, options.classes};
}

std::int64_t injected_ns(const PipelineOptions& options) {
  return nanoseconds(options.inject.prep_s_per_sample.value_or(0));
}

}  // namespace

struct Pipeline::Impl {
  Impl(std::shared_ptr<const Dataset> dataset, const PipelineOptions& given)
      : options(given),
        state{.dataset = dataset,
              .spec = spec_of(given, dataset->kind()),
              .sampler = Sampler(dataset->size(), given.seed, given.rank, given.ranks),
              .queue = BatchQueue(given.batch, given.prefetch, given.most_prefetch),
              .buffers = BatchBuffers(std::max(given.prefetch, given.most_prefetch) + 1, given.batch,
                                      spec_of(given, dataset->kind()).bytes(), given.allocate),
              .prep_ns_per_sample = injected_ns(given),
              .cpu_ratio = given.cpu_ratio} {
    state.queue.set_active_workers(given.workers);
    if (given.inject.read_bytes_per_s) state.storage.emplace(*given.inject.read_bytes_per_s);
  }

  ~Impl() {
    state.queue.stop();
    for (std::thread& thread : threads) thread.join();
  }

  void start() {
    for (int index = 0; index < most_workers(); ++index) {
      auto worker = std::make_unique<Worker>(state, index);
      threads.emplace_back([worker = std::move(worker)] { worker->run(); });
      pthread_setname_np(threads.back().native_handle(), fmt::format("stash-in-{}", index).c_str());
    }
  }

  int most_workers() const { return std::max(options.workers, options.most_workers); }

  std::int64_t deadline_ns() const { return now_ns() + nanoseconds(options.deadline_s); }

  void rethrow_failure() {
    const std::lock_guard lock(state.failure_mutex);
    if (state.failure) std::rethrow_exception(state.failure);
  }

  void require_paused(std::string_view what) const {
    if (!state.queue.paused()) throw Error(fmt::format("{} needs a paused input pipeline", what));
  }

  UpcomingPages upcoming(int batches) const { return {*state.dataset, state.sampler, state.queue.upcoming(batches)}; }

  PipelineOptions options;
  PipelineState state;
  std::vector<std::thread> threads;
};

Pipeline::Pipeline(std::shared_ptr<const Dataset> dataset, PipelineOptions options) {
  check(options, dataset->kind());
  check_classes(*dataset, options);
  impl_ = std::make_unique<Impl>(std::move(dataset), options);
  impl_->start();
}

Pipeline::~Pipeline() = default;

bool Pipeline::ready() const { return impl_->state.queue.next_is_ready(); }

BatchView Pipeline::next() {
  PipelineState& state = impl_->state;
  impl_->rethrow_failure();
  if (state.queue.next_is_held()) throw Error("every batch of the input pipeline is in use; release one first");
  if (state.queue.paused() && !state.queue.next_is_ready()) {
    throw Error("the input pipeline is paused and has no batch ready; resume it first");
  }
  const std::optional<int> slot = state.queue.take(impl_->deadline_ns());
  if (!slot) {
    impl_->rethrow_failure();
    throw Error(fmt::format(
        "no batch came within {} s: {} of its {} samples are ready; {} workers are too few or the "
        "storage does not answer",
        impl_->options.deadline_s, std::min<std::int64_t>(state.queue.prepared_samples(), impl_->options.batch),
        impl_->options.batch, workers()));
  }
  BatchView view{.labels = state.buffers.labels(*slot), .slot = *slot, .made_ns = state.queue.made_ns(*slot)};
  if (state.spec.kind == InputKind::images) view.images = static_cast<float*>(state.buffers.samples(*slot));
  if (state.spec.kind == InputKind::tokens) view.tokens = static_cast<std::int64_t*>(state.buffers.samples(*slot));
  return view;
}

void Pipeline::release(const BatchView& batch) { impl_->state.queue.release(batch.slot); }

void Pipeline::pause() {
  if (impl_->state.queue.pause(impl_->deadline_ns())) return;
  throw Error(fmt::format("the input workers did not finish their samples within {} s; the storage does not answer",
                          impl_->options.deadline_s));
}

void Pipeline::resume() { impl_->state.queue.resume(); }

void Pipeline::set_prefetch(int batches) {
  impl_->require_paused("set_prefetch");
  impl_->state.queue.set_prefetch(batches);
}

void Pipeline::drain() {
  impl_->require_paused("drain");
  impl_->state.queue.drain();
}

void Pipeline::set_cold(bool cold) {
  impl_->require_paused("set_cold");
  impl_->state.cold.store(cold);
}

std::optional<double> Pipeline::evict_upcoming(int batches) {
  impl_->require_paused("evict_upcoming");
  const UpcomingPages pages = impl_->upcoming(batches);
  pages.evict();
  return pages.cached_ratio();
}

std::optional<double> Pipeline::load_upcoming(int batches) {
  impl_->require_paused("load_upcoming");
  const UpcomingPages pages = impl_->upcoming(batches);
  pages.load();
  return pages.cached_ratio();
}

void Pipeline::set_workers(int workers) {
  impl_->state.queue.set_active_workers(std::clamp(workers, 1, impl_->most_workers()));
}

int Pipeline::workers() const { return impl_->state.queue.active_workers(); }

int Pipeline::most_workers() const { return impl_->most_workers(); }

double Pipeline::queued_samples() const { return static_cast<double>(impl_->state.queue.prepared_samples()); }

InputCounters Pipeline::counters() const {
  const PipelineState& state = impl_->state;
  const StageCounters& sums = state.counters;
  return {.rank = impl_->options.rank,
          .samples = sums.samples.load(),
          .read_bytes = sums.read_bytes.load(),
          .cold_bytes = sums.cold_bytes.load(),
          .read_s = seconds(sums.read_ns.load()),
          .decode_s = seconds(sums.decode_ns.load()),
          .augment_s = seconds(sums.augment_ns.load()),
          .skipped = state.skips.skipped(),
          .skipped_files = state.skips.files(),
          .injected_s = seconds(sums.injected_ns.load())};
}

void Pipeline::reset_counters() {
  StageCounters& sums = impl_->state.counters;
  for (auto* sum : {&sums.samples, &sums.read_bytes, &sums.cold_bytes, &sums.read_ns, &sums.decode_ns, &sums.augment_ns,
                    &sums.injected_ns}) {
    sum->store(0);
  }
  impl_->state.skips.reset();
}

}  // namespace stash
