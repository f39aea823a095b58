#include "stash/measure/span_book.h"

#include <algorithm>
#include <map>

#include "stash/core/clock.h"

namespace stash {
namespace {

std::int64_t microseconds(std::int64_t ns) { return (ns + 500) / 1000; }

// A step before what begins with it.
void sort_spans(std::vector<Span>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.start_us != b.start_us ? a.start_us < b.start_us : a.length_us > b.length_us;
  });
}

class Reading {
 public:
  Reading(const SpanBook& book, double wall_s, const char* (*name_of)(int op), const std::vector<std::string>& groups)
      : book_(book), wall_ns_(nanoseconds(wall_s)), name_of_(name_of), groups_(groups) {}

  RankTrace read() {
    const std::size_t used = std::min(book_.used.load(), book_.places.size());
    trace_.left_out = book_.left_out.load();
    for (std::size_t i = 0; i < used; ++i) try_add(book_.places[i]);
    end_last_step();
    sort_spans(trace_.host);
    sort_spans(trace_.device);
    return std::move(trace_);
  }

 private:
  // An event that the device cannot tell the time of costs a span, and not the measurement.
  void try_add(const SpanPlace& place) {
    try {
      add(place);
    } catch (const c10::Error&) {
      ++trace_.left_out;
    }
  }

  void add(const SpanPlace& place) {
    if (place.queue != nullptr) return add_queued(place);
    const std::int64_t ended_ns = place.end_ns.load(std::memory_order_acquire);
    const std::int64_t end_ns = ended_ns == 0 ? wall_ns_ : ended_ns - book_.began_ns;  // 0: it outlasts the window
    trace_.host.push_back(span(place, place.start_ns - book_.began_ns, end_ns));
    const bool on_device = place.from_event != EventPool::kNone && place.to_event != EventPool::kNone;
    if (!on_device || place.kind == SpanKind::input_wait) return;
    trace_.device.push_back(span(place, device_ns(place.from_event), device_ns(place.to_event)));
  }

  // It starts when all is done that came before it, in its own queue and in its issuer's.
  void add_queued(const SpanPlace& place) {
    if (place.device_ns == 0 || place.from_event == EventPool::kNone) {
      ++trace_.left_out;
      return;
    }
    std::int64_t& free_ns = free_ns_[place.queue];
    const std::int64_t start_ns = std::max(free_ns, device_ns(place.from_event));
    free_ns = start_ns + place.device_ns;
    trace_.device.push_back(span(place, start_ns, free_ns));
  }

  // Rounded at both ends alike, so that spans that touch or contain each other still do.
  Span span(const SpanPlace& place, std::int64_t start_ns, std::int64_t end_ns) const {
    start_ns = std::clamp<std::int64_t>(start_ns, 0, wall_ns_);
    end_ns = std::clamp(end_ns, start_ns, wall_ns_);
    return {.kind = place.kind,
            .start_us = microseconds(start_ns),
            .length_us = microseconds(end_ns) - microseconds(start_ns),
            .bytes = place.bytes,
            .op = place.kind == SpanKind::collective ? name_of_(place.op) : "",
            .group = place.kind == SpanKind::collective ? group_name(place.group) : ""};
  }

  std::string group_name(int number) const {
    const auto place = static_cast<std::size_t>(number);
    return place < groups_.size() ? groups_[place] : std::string();
  }

  std::int64_t device_ns(int event) const { return book_.events.between_ns(book_.first_event, event); }

  // A window ends when the device is idle, and its last step with it.
  void end_last_step() {
    if (book_.left_out > 0) return;
    const auto is_step = [](const Span& span) { return span.kind == SpanKind::step; };
    const auto last = std::find_if(trace_.host.rbegin(), trace_.host.rend(), is_step);
    if (last != trace_.host.rend()) last->length_us = microseconds(wall_ns_) - last->start_us;
  }

  const SpanBook& book_;
  std::int64_t wall_ns_;
  const char* (*name_of_)(int op);
  const std::vector<std::string>& groups_;
  RankTrace trace_;
  std::map<const void*, std::int64_t> free_ns_;  // when a queue is done with what was read so far
};

}  // namespace

RankTrace read_spans(const SpanBook& book, double wall_s, const char* (*name_of)(int op),
                     const std::vector<std::string>& groups) {
  return book.began_ns == 0 ? RankTrace{} : Reading(book, wall_s, name_of, groups).read();
}

}  // namespace stash
