#include "stash/measure/span_log.h"

#include <algorithm>

#include "stash/core/clock.h"

namespace stash {

void SpanLog::prepare(c10::Device device, std::size_t room) {
  books_.push_back(std::make_unique<SpanBook>(device, room));
}

SpanBook* SpanLog::begun() const {
  SpanBook* const book = open_.load(std::memory_order_acquire);
  return book != nullptr && book->began_ns != 0 ? book : nullptr;
}

// The device is idle: the first event is of this time, but for the microseconds that it takes to be recorded.
void SpanLog::begin(std::int64_t start_ns) {
  SpanBook* const book = open_.load(std::memory_order_acquire);
  if (book == nullptr || book->began_ns != 0) return;
  book->first_event = book->marked_event = book->events.record();
  book->marked_ns = book->step_ns = start_ns;
  book->began_ns = start_ns;
}

void SpanLog::mark(SpanKind kind) {
  if (begun() != nullptr) mark(kind, now_ns());
}

void SpanLog::mark(SpanKind kind, std::int64_t until_ns) {
  SpanBook* const book = begun();
  if (book == nullptr) return;
  const int event = book->events.record();
  if (SpanPlace* const place = book->take()) {
    place->kind = kind;
    place->start_ns = book->marked_ns;
    place->from_event = book->marked_event;
    place->to_event = event;
    place->end_ns.store(until_ns, std::memory_order_release);
  }
  book->marked_ns = until_ns;
  book->marked_event = event;
}

void SpanLog::skip() {
  if (begun() != nullptr) skip(now_ns());
}

void SpanLog::skip(std::int64_t until_ns) {
  SpanBook* const book = begun();
  if (book == nullptr) return;
  book->marked_ns = until_ns;
  book->marked_event = book->events.record();
}

// A step that would not fit whole is left out, and so is what follows it.
void SpanLog::end_step() {
  SpanBook* const book = begun();
  if (book == nullptr) return;
  const std::int64_t end_ns = now_ns();
  if (SpanPlace* const place = book->take()) {
    place->kind = SpanKind::step;
    place->start_ns = book->step_ns;
    place->end_ns.store(end_ns, std::memory_order_release);
  }
  book->step_ns = book->marked_ns = end_ns;
  const std::size_t used = book->used.load();
  book->most_of_step = std::max(book->most_of_step, used - book->step_from);
  book->step_from = used;
  if (used + book->most_of_step > book->places.size()) book->full.store(true, std::memory_order_relaxed);
}

int SpanLog::record_event() {
  SpanBook* const book = begun();
  return book != nullptr ? book->events.record() : EventPool::kNone;
}

SpanPlace* SpanLog::issue(int group, int op, std::int64_t bytes, std::int64_t issued_ns) {
  SpanBook* const book = begun();
  SpanPlace* const place = book != nullptr ? book->take() : nullptr;
  if (place == nullptr) return nullptr;
  place->kind = SpanKind::collective;
  place->group = group;
  place->op = op;
  place->bytes = bytes;
  place->start_ns = issued_ns;
  return place;
}

}  // namespace stash
