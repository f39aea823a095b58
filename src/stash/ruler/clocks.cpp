#include "stash/ruler/clocks.h"

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr int kExchanges = 5;

double now_s(const TimeSource& time) { return seconds(time.now_ns()); }

void answer(Control& control, const TimeSource& time, int rank) {
  for (int i = 0; i < kExchanges; ++i) {
    control.receive(rank);
    control.send(rank, now_s(time));
  }
}

ClockOffset ask(Control& control, const TimeSource& time) {
  ClockOffset best;
  for (int i = 0; i < kExchanges; ++i) {
    const double asked_s = now_s(time);
    control.send(0, asked_s);
    const double theirs_s = control.receive(0);
    const double answered_s = now_s(time);
    const double half_s = (answered_s - asked_s) / 2;
    if (i == 0 || half_s < best.uncertainty_s) best = {theirs_s - asked_s - half_s, half_s};
  }
  return best;
}

}  // namespace

ClockOffset align_clocks(Control& control, const TimeSource& time) {
  if (control.rank() != 0) return ask(control, time);
  for (int rank = 1; rank < control.size(); ++rank) answer(control, time, rank);
  return {};
}

}  // namespace stash
