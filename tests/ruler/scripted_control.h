#pragma once

#include <functional>

#include "meeting_place.h"
#include "simulated_clock.h"
#include "stash/ruler/control.h"

namespace stash {

// Ranks that tell each other what the measurement needs, in simulated time.
class ScriptedControl final : public Control {
 public:
  // A meeting and a message each take `exchange_s`. `on_barrier` hears of every barrier, before the others are met.
  ScriptedControl(int rank, int size, MeetingPlace& place, SimulatedClock& clock, double exchange_s,
                  std::function<void()> on_barrier)
      : Control(rank, size),
        place_(place),
        clock_(clock),
        exchange_ns_(nanoseconds(exchange_s)),
        on_barrier_(std::move(on_barrier)) {}

  void barrier() override;
  std::vector<std::vector<double>> gather(std::span<const double> values) override;
  std::vector<std::string> gather_text(std::string_view text) override;
  void send(int rank, double value) override;
  double receive(int rank) override;

 private:
  MeetingPlace::AllWords meet(Words own);

  MeetingPlace& place_;
  SimulatedClock& clock_;
  std::int64_t exchange_ns_;
  std::function<void()> on_barrier_;
};

}  // namespace stash
