#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stash {

// One recorded request with a time and sizes of its own, such as tokens that go in and come out.
struct TimedRequest {
  double at_s = 0;  // since the trace began
  float in = 0;
  float out = 0;
};

// Requests per slot of equal length, in order. A slot in `holes` was not recorded: it holds 0 and counts for nothing.
struct LoadTrace {
  double slot_s = 60;  // 60: per minute, 1: per second
  std::vector<std::uint32_t> requests;
  std::vector<bool> holes{};             // as many as `requests`; empty: none
  std::vector<std::uint32_t> peak_5s{};  // of each slot, where the file has it; else empty
  double begin_s = 0;                    // of the first slot, on the clock of the file (seconds of a day count)
  std::vector<std::string> warnings{};   // what was found and left out, in sentences
  // Where the file has the time of every request: all of them, in order. Else empty, and times are drawn.
  std::vector<TimedRequest> timed{};
  bool has_sizes = false;  // of the timed requests

  double duration_s() const { return slot_s * static_cast<double>(requests.size()); }
  bool is_hole(std::size_t slot) const { return !holes.empty() && holes[slot]; }
};

}  // namespace stash
