#include "stash/measure/script/script_watch.h"

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr std::chrono::seconds kInterval{1};

}  // namespace

ScriptWatch::ScriptWatch(int events_fd, int rank)
    : events_(events_fd), rank_(rank), log_(std::make_shared<CollectiveLog>()), thread_([this] { run(); }) {
  log_->select(Condition::joined, true);
}

ScriptWatch::~ScriptWatch() { end(); }

void ScriptWatch::add_group(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device, int number) {
  const std::lock_guard lock(mutex_);
  switches_.add(group, device, number, log_).count_on_device();
}

// The first step ends what came before training: only what follows it is timed.
void ScriptWatch::step_end() {
  const std::int64_t now = now_ns();
  if (first_ns_.load(std::memory_order_relaxed) == 0) {
    first_ns_.store(now, std::memory_order_relaxed);
    waited_ns_.store(0, std::memory_order_relaxed);
    return;
  }
  last_ns_.store(now, std::memory_order_relaxed);
  steps_.fetch_add(1, std::memory_order_relaxed);
}

void ScriptWatch::end() {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
  }
  ended_changed_.notify_all();
  thread_.join();
  report();
}

void ScriptWatch::run() {
  std::unique_lock lock(mutex_);
  while (!ended_changed_.wait_for(lock, kInterval, [&] { return ended_; })) report();
}

void ScriptWatch::report() {
  const std::int64_t first = first_ns_.load(), last = last_ns_.load();
  events_.send(CountersEvent{{.rank = rank_,
                              .steps = steps_.load(),
                              .step_s = last > first ? seconds(last - first) : 0.0,
                              .input_wait_s = seconds(waited_ns_.load()),
                              .collectives = log_->summary(rank_, collective_name)}});
}

}  // namespace stash
