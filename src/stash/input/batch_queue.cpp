#include "stash/input/batch_queue.h"

#include <algorithm>

namespace stash {

BatchQueue::BatchQueue(int batch, int prefetch, int most_prefetch)
    : batch_(batch), prefetch_(prefetch), slots_(static_cast<std::size_t>(std::max(prefetch, most_prefetch)) + 1) {
  for (Slot& slot : slots_) slot.missing.store(batch);
  update_limit();
}

std::optional<Ticket> BatchQueue::begin_sample(int worker) {
  while (!stopped_.load()) {
    if (is_parked(worker)) {
      unparked_.wait([&] { return stopped_.load() || !is_parked(worker); });
      continue;
    }
    if (std::optional<Ticket> ticket = try_begin(worker)) return ticket;
    work_.wait([&] { return stopped_.load() || is_parked(worker) || (!paused_.load() && work_is_there()); });
  }
  return std::nullopt;
}

void BatchQueue::set_active_workers(int workers) {
  active_workers_.store(std::max(workers, 1));
  unparked_.notify();
  work_.notify();
}

std::optional<Ticket> BatchQueue::try_begin(int worker) {
  // Counted before looking at `paused_`, as pause() sets that before it counts: one of the two sees the other.
  active_.fetch_add(1);
  if (!paused_.load() && !stopped_.load() && !is_parked(worker)) {
    std::int64_t ticket = next_ticket_.load();
    while (ticket < ticket_limit_.load()) {
      if (!next_ticket_.compare_exchange_weak(ticket, ticket + 1)) continue;
      return Ticket{slot_of(ticket / batch_), static_cast<int>(ticket % batch_), position_offset_.load() + ticket};
    }
  }
  leave();
  return std::nullopt;
}

void BatchQueue::end_sample(const Ticket& ticket, std::int64_t made_ns) {
  Slot& slot = slots_[static_cast<std::size_t>(ticket.slot)];
  std::int64_t latest_ns = slot.made_ns.load();
  while (made_ns > latest_ns && !slot.made_ns.compare_exchange_weak(latest_ns, made_ns)) {
  }
  prepared_.fetch_add(1);
  if (slot.missing.fetch_sub(1) == 1) ready_.notify();
  leave();
}

void BatchQueue::abandon_sample() { leave(); }

void BatchQueue::leave() {
  if (active_.fetch_sub(1) == 1) idle_.notify();
}

bool BatchQueue::next_is_ready() const {
  const Slot& slot = slots_[static_cast<std::size_t>(slot_of(taken_))];
  return !slot.held && slot.missing.load() == 0;
}

bool BatchQueue::next_is_held() const { return slots_[static_cast<std::size_t>(slot_of(taken_))].held; }

std::optional<int> BatchQueue::take(std::int64_t deadline_ns) {
  ready_.wait_until(deadline_ns, [this] { return stopped_.load() || next_is_ready(); });
  if (!next_is_ready()) return std::nullopt;
  const int slot = slot_of(taken_);
  slots_[static_cast<std::size_t>(slot)].held = true;
  ++taken_;
  prepared_.fetch_sub(batch_);
  update_limit();
  return slot;
}

void BatchQueue::release(int slot_index) {
  Slot& slot = slots_[static_cast<std::size_t>(slot_index)];
  if (!slot.held) return;
  slot.missing.store(static_cast<int>(batch_));
  slot.held = false;
  while (released_ < taken_ && !slots_[static_cast<std::size_t>(slot_of(released_))].held) ++released_;
  update_limit();
}

void BatchQueue::update_limit() {
  ticket_limit_.store(std::min(taken_ + prefetch_, released_ + prefetch_ + 1) * batch_);
  work_.notify();
}

bool BatchQueue::pause(std::int64_t deadline_ns) {
  paused_.store(true);
  return idle_.wait_until(deadline_ns, [this] { return active_.load() == 0; });
}

void BatchQueue::resume() {
  paused_.store(false);
  work_.notify();
}

void BatchQueue::set_prefetch(int prefetch) {
  prefetch_ = std::clamp(prefetch, 1, slots() - 1);
  update_limit();
}

void BatchQueue::drain() {
  const std::int64_t first = taken_ * batch_;
  position_offset_.fetch_add(next_ticket_.load() - first);
  next_ticket_.store(first);
  prepared_.store(0);
  for (Slot& slot : slots_) {
    if (!slot.held) slot.missing.store(static_cast<int>(batch_));
  }
}

void BatchQueue::stop() {
  stopped_.store(true);
  work_.notify();
  unparked_.notify();
  ready_.notify();
}

BatchQueue::Positions BatchQueue::upcoming(int batches) const {
  const std::int64_t next = next_ticket_.load();
  const std::int64_t end = std::max(next, (taken_ + batches) * batch_);
  return {position_offset_.load() + next, position_offset_.load() + end};
}

}  // namespace stash
