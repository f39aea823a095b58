#include "stash/measure/ruler_events.h"

namespace stash {

void RulerEvents::pilot(double edge_s, double round_s, std::int64_t rounds_start_ns) {
  if (speaks_) {
    events_.send(PilotEvent{.edge_s = edge_s, .round_s = round_s, .rounds_start_ns = rounds_start_ns});
  }
}

void RulerEvents::window(const Window& window) {
  if (speaks_) events_.send(WindowEvent{window});
}

void RulerEvents::trace(const WindowTrace& trace) {
  if (!speaks_) return;
  for (const RankTrace& rank : trace.ranks) events_.send(RankTraceEvent{trace.round, trace.condition, rank});
}

void RulerEvents::dropped(const Variant& variant, const std::string& why) {
  if (fix_of(variant.name)) return events_.send(TriedEvent{{{variant.name, why}}});
  events_.send(WarningEvent{rank_, "'" + variant.name + "' could not be measured: " + why});
}

}  // namespace stash
