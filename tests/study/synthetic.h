#pragma once

#include "stash/study/observation.h"

namespace stash::testing_support {

// A backward pass of 100 ms; buckets of `bytes` become ready evenly, the first at once and the last at its end.
inline Observation observation(double bytes, int buckets, int in_flight = 1) {
  Observation o;
  o.backward_s = 0.1;
  o.step_s = 0.2;
  o.in_flight = in_flight;
  for (int i = 0; i < buckets; ++i) {
    o.buckets.push_back({bytes, 0, buckets == 1 ? o.backward_s : o.backward_s * i / (buckets - 1)});
    o.gradient_bytes += bytes;
  }
  return o;
}

}  // namespace stash::testing_support
