#include "stash/measure/rank_probe.h"

#include "stash/measure/switch/switch_backend.h"

namespace stash {

void RankProbe::prepare(const Variant& variant, std::optional<std::size_t> span_room) {
  condition_ = variant.condition;
  shelf_ = variant.is_plain() ? CollectiveLog::Shelf(condition_) : std::nullopt;
  log_.select(shelf_, false);
  traced_ = span_room.has_value();
  if (span_room) spans_.prepare(device_, *span_room);
}

void RankProbe::start() {
  before_ = {.input_wait_s = sources_.waited_s(),
             .collective_s = log_.total_s(shelf_),
             .queued_start_samples = queued_samples()};
  log_.select(shelf_, true);
  if (traced_) spans_.start();
}

WindowSight RankProbe::stop() {
  spans_.stop();
  const std::vector<double> arrivals_s = log_.arrivals_s();
  log_.select(shelf_, false);
  sources_.collect_device_times();
  return {.input_wait_s = sources_.waited_s() - before_.input_wait_s,
          .collective_s = log_.total_s(shelf_) - before_.collective_s,
          .arrivals_s = arrivals_s,
          .queued_start_samples = before_.queued_start_samples,
          .queued_end_samples = queued_samples()};
}

std::optional<TimedTrace> RankProbe::trace(double wall_s) {
  const SpanBook& book = spans_.book();
  if (book.began_ns == 0) return std::nullopt;
  return TimedTrace{.trace = read_spans(book, wall_s, collective_name, log_.group_names()), .began_ns = book.began_ns};
}

std::optional<double> RankProbe::queued_samples() const {
  return uses_input(condition_) ? sources_.queued_samples() : std::nullopt;
}

}  // namespace stash
