#pragma once

#include "stash/measure/events.h"
#include "stash/ruler/ruler_report.h"

namespace stash {

// What the ruler finds, told to the supervisor of the ranks that this one speaks for.
class RulerEvents final : public RulerReport {
 public:
  RulerEvents(const Events& events, int rank, bool speaks) : events_(events), rank_(rank), speaks_(speaks) {}

  void pilot(double edge_s, double round_s, std::int64_t rounds_start_ns) override;
  void window(const Window& window) override;
  void trace(const WindowTrace& trace) override;
  void dropped(const Variant& variant, const std::string& why) override;

 private:
  const Events& events_;
  int rank_;
  bool speaks_;
};

}  // namespace stash
