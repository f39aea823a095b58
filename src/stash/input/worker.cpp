#include "stash/input/worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/clock.h"
#include "stash/core/cpu_clock.h"
#include "stash/core/emulated_time.h"
#include "stash/core/error.h"
#include "stash/input/interruptible_sleep.h"

namespace stash {

namespace {

constexpr std::int64_t kWaitedNs = 200'000;  // less is the queue's own lock

void add(std::atomic<std::int64_t>& counter, std::int64_t amount) {
  counter.fetch_add(amount, std::memory_order_relaxed);
}

}  // namespace

Worker::Worker(PipelineState& state, int number)
    : state_(state),
      number_(number),
      reader_(state.storage ? &*state.storage : nullptr, state.queue.stopped()),
      maker_(make_sample_maker(state.spec)) {}

void Worker::run() {
  use_precise_sleep();
  for (;;) {
    const std::int64_t asked_ns = now_ns();
    const std::optional<Ticket> ticket = state_.queue.begin_sample(number_);
    if (!ticket) return;
    if (now_ns() - asked_ns > kWaitedNs) free_ns_ = 0;  // for room in the queue: its time line begins anew
    try {
      make_sample(*ticket);
      fill_injected_time();
      state_.queue.end_sample(*ticket, free_ns_);
    } catch (...) {
      const std::lock_guard lock(state_.failure_mutex);
      if (!state_.failure) state_.failure = std::current_exception();
      state_.queue.abandon_sample();
      state_.queue.stop();
    }
  }
}

// A broken sample gives its place to the next good one.
void Worker::make_sample(const Ticket& ticket) {
  for (std::int64_t skip = 0; skip < state_.dataset->size(); ++skip) {
    if (try_sample(ticket, state_.sampler.index_at(ticket.position, skip))) {
      add(state_.counters.samples, 1);
      return;
    }
  }
  throw Error(
      fmt::format("none of the {} samples can be used, the last one '{}'", state_.dataset->size(), location_.path));
}

bool Worker::try_sample(const Ticket& ticket, std::int64_t index) {
  state_.skips.add_tried();
  state_.dataset->locate(index, location_);
  StageCounters& counters = state_.counters;
  ReadCount read;
  MakeTime time;
  bool good = true;
  const std::int64_t start_ns = now_ns();
  std::int64_t read_ns = start_ns;
  try {
    const bool cold = state_.cold.load(std::memory_order_relaxed);
    prep_start_ns_ = next_start_ns(free_ns_, start_ns);
    const auto bytes = reader_.read(location_, cold, prep_start_ns_, read);
    prep_start_ns_ = std::max(prep_start_ns_, read.served_ns);
    read_ns = now_ns();
    make_as_loader(bytes, ticket, time);
    state_.buffers.labels(ticket.slot)[ticket.place] = location_.label;
  } catch (const BrokenSample& broken) {
    state_.skips.add_skipped(location_.path, broken.what());
    good = false;
  }
  add(counters.read_bytes, read.bytes);
  add(counters.cold_bytes, read.cold_bytes);
  add(counters.read_ns, read_ns - start_ns);
  add(counters.decode_ns, time.decode_ns);
  add(counters.augment_ns, time.augment_ns);
  return good;
}

// Another loader needs more CPU for the same sample: the core is kept busy for the rest of that time.
void Worker::make_as_loader(std::span<const std::uint8_t> bytes, const Ticket& ticket, MakeTime& time) {
  const std::int64_t start_cpu_ns = state_.cpu_ratio > 1 ? thread_cpu_ns() : 0;
  maker_->make(bytes, state_.sampler.augment_seed(ticket.position), state_.buffers.sample(ticket.slot, ticket.place),
               time);
  if (state_.cpu_ratio <= 1) return;
  const std::int64_t made_ns = now_ns();
  const auto own_ns = static_cast<double>(thread_cpu_ns() - start_cpu_ns);
  keep_busy_until_cpu_ns(start_cpu_ns + static_cast<std::int64_t>(own_ns * state_.cpu_ratio));
  time.decode_ns += now_ns() - made_ns;
}

// A sample that was made sooner than was asked for waits until then.
void Worker::fill_injected_time() {
  const std::int64_t made_ns = now_ns();
  free_ns_ = made_ns;
  const std::int64_t deadline_ns = prep_start_ns_ + state_.prep_ns_per_sample;
  if (deadline_ns <= made_ns) return;
  sleep_unless(state_.queue.stopped(), deadline_ns);
  free_ns_ = deadline_ns;
  add(state_.counters.injected_ns, now_ns() - made_ns);
}

}  // namespace stash
