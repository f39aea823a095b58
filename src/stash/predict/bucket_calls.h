#pragma once

#include <span>

namespace stash {

// The collective of a gradient bucket: when it may start, and how long it takes while no other is under way.
struct BucketCall {
  double ready_s = 0;  // after the start of the backward pass
  double alone_s = 0;
};

// How many collectives a backend works on at once. Two together move `paired_ratio` times what one alone does.
struct InFlight {
  int most = 1;
  double paired_ratio = 1;  // 1 to 2
};

// The time of the collectives, in order: what lasts beyond the backward pass, and what hides behind it.
struct Passed {
  double exposed_s = 0;
  double hidden_s = 0;
};
Passed pass_calls(std::span<const BucketCall> calls, double backward_s, const InFlight& in_flight = {});

}  // namespace stash
