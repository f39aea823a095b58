#include "stash/report/html/axis.h"

#include <fmt/format.h>

namespace stash {

namespace {

constexpr int kXTicks = 4;  // as many as a phone has room for

}  // namespace

Anchor anchor_at(double percent) { return percent < 8 ? Anchor::start : percent > 92 ? Anchor::end : Anchor::middle; }

std::string tick_ms(double s) { return fmt::format("{:g} ms", s * 1e3); }

void draw_x_axis(Svg& svg, const Scale& scale, double top, double bottom, const TickText& tick) {
  for (const double value : scale.ticks(kXTicks)) {
    const double x = scale.percent(value);
    svg.line(x, top, x, bottom, "grid");
    svg.text(x, bottom + 15, tick(value), anchor_at(x), "tick");
  }
}

}  // namespace stash
