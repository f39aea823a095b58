#pragma once

#include <memory>

#include "stash/measure/span_book.h"

namespace stash {

// What a rank does in one window, span by span. To record is a clock read and a store into a place made ahead: it
// neither locks nor allocates and costs less than a microsecond, so that a traced window is one like the others. On an
// accelerator each stretch has an event of its stream as well. What finds no place is counted.
class SpanLog {
 public:
  // The commander's: `room` spans fit; from start() to stop() they are kept, once the window begins.
  void prepare(c10::Device device, std::size_t room);
  void start() { open_.store(books_.back().get(), std::memory_order_release); }
  void stop() { open_.store(nullptr, std::memory_order_release); }
  const SpanBook& book() const { return *books_.back(); }  // of the last window

  // The training thread's. Each does nothing while nothing is kept.
  void begin(std::int64_t start_ns);  // the window's clock starts; later calls change nothing
  void mark(SpanKind kind);           // the stretch since the last mark was this
  void mark(SpanKind kind, std::int64_t until_ns);
  void skip();  // the stretch since the last mark was nothing to be shown
  void skip(std::int64_t until_ns);
  void end_step();

  // Any thread's, for a collective. An event that goes before it tells when it can start on a device.
  int record_event();
  SpanPlace* issue(int group, int op, std::int64_t bytes, std::int64_t issued_ns);  // null: not kept

 private:
  SpanBook* begun() const;

  std::vector<std::unique_ptr<SpanBook>> books_;  // all of them: a collective may end long after its window
  std::atomic<SpanBook*> open_{nullptr};
};

}  // namespace stash
