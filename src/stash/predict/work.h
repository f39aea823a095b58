#pragma once

#include "stash/catalog/roofline.h"

namespace stash {

// Of the logarithm of a measured median.
inline constexpr double kMeasuredSpread = 0.03;

// A step without its layers.
struct StepSum {
  PassTime passes;
  PassTime optimizer;
};
StepSum sum_of(const StepTime& step);
double seconds_of(const StepSum& sum);

// How a job's work compares with what its graph and the roofline say: factors on the GPU's and on the CPU's part.
struct WorkRatios {
  double gpu = 1;
  double host = 1;
};

StepSum with_ratios(const StepSum& sum, const WorkRatios& ratios);

// The most likely ratios when the step that was estimated as `estimated` took `measured_s`. What the measurement cannot
// tell stays at 1: a step that waits for launches says little about the GPU's part.
WorkRatios ratios_of(const StepSum& estimated, double measured_s);

// Whether `candidate` explains the measured step better than `other` does.
bool is_nearer(const StepSum& candidate, const StepSum& other, double measured_s);

// The ratios on a second GPU, from those on the first. `reference_ratio` is the time of a reference network on the
// second over that on the first: work far beyond the graph's is of unknown kind and scales as that network does.
WorkRatios carried(const WorkRatios& ratios, const StepSum& first, const StepSum& second, double reference_ratio);

}  // namespace stash
