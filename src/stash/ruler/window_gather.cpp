#include "stash/ruler/window_gather.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/attribute/arrivals.h"
#include "stash/core/clock.h"
#include "stash/core/profile_json.h"
#include "stash/ruler/switch_position.h"

namespace stash {
namespace {

void shift(RankTrace& trace, double by_s) {
  const std::int64_t by_us = std::llround(by_s * 1e6);
  for (std::vector<Span>* spans : {&trace.host, &trace.device}) {
    for (Span& span : *spans) span.start_us += by_us;
  }
}

}  // namespace

std::vector<std::optional<RankSample>> gather_samples(Control& control, std::optional<double> wall_s,
                                                      const WindowSight& sight) {
  const double own[] = {wall_s ? 1.0 : 0.0, wall_s.value_or(0), sight.input_wait_s, sight.collective_s};
  std::vector<std::optional<RankSample>> samples;
  for (const auto& rank : control.gather(own)) {
    const RankSample sample{.wall_s = rank[1], .input_wait_s = rank[2], .collective_s = rank[3]};
    samples.push_back(rank[0] == 0 ? std::nullopt : std::optional(sample));
  }
  return samples;
}

// Ranks that issued different collectives cannot be compared.
void gather_arrivals(Control& control, std::vector<double> own_s, double offset_s, Window& window) {
  if (switch_position(window.condition) == SwitchPosition::off || control.size() == 1) return;
  if (!window.variant.empty()) return;  // who is late is asked of the plain conditions
  const double own_count = static_cast<double>(own_s.size());
  for (const auto& count : control.gather({&own_count, 1})) {
    if (count[0] != own_count || count[0] == 0) own_s.clear();
  }
  if (control.any(own_s.empty())) return;
  for (double& at_s : own_s) at_s += offset_s;
  const std::vector<double> behind_s = behind_others_s(control.gather(own_s), window.steps);
  for (std::size_t rank = 0; rank < behind_s.size(); ++rank) {
    if (window.ranks[rank]) window.ranks[rank]->behind_s = behind_s[rank];
  }
}

WindowTrace gather_trace(Control& control, const Window& window, std::optional<TimedTrace> own, double offset_s) {
  const double began_s = own ? seconds(own->began_ns) + offset_s : HUGE_VAL;
  double earliest_s = began_s;
  for (const auto& rank : control.gather({&began_s, 1})) earliest_s = std::min(earliest_s, rank[0]);
  if (own) {
    own->trace.rank = control.rank();
    shift(own->trace, began_s - earliest_s);
  }
  WindowTrace all{.round = window.round, .condition = window.condition};
  for (const std::string& text : control.gather_text(own ? dump_json(to_json(own->trace)) : std::string())) {
    if (!text.empty()) all.ranks.push_back(rank_trace_from_json(nlohmann::json::parse(text)));
  }
  return all;
}

}  // namespace stash
