#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "stash/core/trace.h"
#include "stash/measure/engine/event_pool.h"

namespace stash {

// A span while it is recorded. Whoever knows the rest fills it in.
struct SpanPlace {
  SpanKind kind = SpanKind::step;
  int op = 0;              // of a collective: c10d::OpType
  std::int64_t bytes = 0;  // of a collective
  int group = 0;           // of a collective: its number
  std::int64_t start_ns = 0;
  std::atomic<std::int64_t> end_ns{0};  // 0: has not ended
  int from_event = EventPool::kNone;
  int to_event = EventPool::kNone;
  const void* queue = nullptr;  // of a collective on the device: those of one queue come one after the other
  std::int64_t device_ns = 0;   // that it took there; 0: not known
};

// The spans of one window.
struct SpanBook {
  SpanBook(c10::Device device, std::size_t room) : places(room), events(device, 2 * room) {}

  // From any thread; null: there is no room.
  SpanPlace* take() {
    const std::size_t place = full.load(std::memory_order_relaxed) ? places.size() : used.fetch_add(1);
    if (place < places.size()) return &places[place];
    left_out.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }

  std::vector<SpanPlace> places;
  EventPool events;
  std::atomic<std::size_t> used{0};
  std::atomic<bool> full{false};  // no room for another whole step
  std::atomic<std::int64_t> left_out{0};
  std::atomic<std::int64_t> began_ns{0};  // 0: has not begun
  // The training thread's.
  int first_event = EventPool::kNone;
  std::int64_t marked_ns = 0;
  int marked_event = EventPool::kNone;
  std::int64_t step_ns = 0;
  std::size_t step_from = 0;
  std::size_t most_of_step = 0;
};

// After a window that took `wall_s`, the device idle: its spans, from the window's start on. `name_of` translates the
// op number, `groups` has the names of process groups by number. None where nothing began.
RankTrace read_spans(const SpanBook& book, double wall_s, const char* (*name_of)(int op),
                     const std::vector<std::string>& groups);

}  // namespace stash
