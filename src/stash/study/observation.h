#pragma once

#include <span>
#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"
#include "stash/predict/step_job.h"

namespace stash {

// What one profile of a built-in model says of communication.
struct Observation {
  std::string model;
  int batch = 0;                     // of a rank
  int layers = 0;                    // convolutions and products that have weights
  double gradient_bytes = 0;         // of a rank
  double backward_s = 0;             // of the step without communication
  std::vector<ReadyBucket> buckets;  // the collectives of a step, in the order in which they go out
  double step_s = 0;                 // with communication, without input
  Estimate stall;                    // interconnect and network together
  int in_flight = 1;                 // collectives that the backend works on at once
};

// Error says what the profile lacks and how to measure it.
Observation observe(const Profile& profile);

// From the first bucket's being ready to the end of the backward pass: where communication can hide.
double overlap_window_s(const Observation& observation);

// Error names the first profile whose ranks, nodes, device or buckets are not those of the first: one link must serve
// all.
void check_alike(std::span<const Profile> profiles);

}  // namespace stash
