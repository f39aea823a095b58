#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stash/fleet/traffic/load_trace.h"

namespace stash {

inline constexpr double kMostPerSecond = 1e7;  // more is a fault of the file

// One row of counts.
struct CountedRow {
  double at_s = 0;
  double requests = 0;
  std::optional<double> peak_5s{};
  std::size_t line = 0;
};

// Puts rows into slots; the first row need not be the earliest one. The methods return what is wrong; empty: nothing.
class TraceSlots {
 public:
  explicit TraceSlots(double slot_s) : slot_s_(slot_s) {}

  std::string add(const CountedRow& row);
  std::string add_request(double at_s);

  double begin_s() const { return base_ * slot_s_; }
  // What was not seen is a hole, if rows are counts.
  LoadTrace take(bool rows_are_counts);

 private:
  std::optional<std::size_t> place(double at_s, std::string& fault);

  double slot_s_;
  std::optional<double> phase_s_;  // of the first row within its slot
  double base_ = 0;                // slot 0, in slots
  std::vector<std::uint32_t> requests_, peaks_;
  std::vector<bool> seen_;
  bool has_peaks_ = false;
};

}  // namespace stash
