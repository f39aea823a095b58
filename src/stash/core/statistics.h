#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stash {

double mean(std::span<const double> values);              // at least one value
double sample_variance(std::span<const double> values);   // at least two values; divides by n - 1
double next_correlation(std::span<const double> values);  // of each with the next; 0 where they do not vary
double median(std::span<const double> values);            // at least one value
// Of `sorted` without its element at `left_out`, which leaves at least one.
double median_without(std::span<const double> sorted, std::size_t left_out);

// The normal distribution with mean 0 and deviation 1: P(Z < z), and the z for which that is `probability`, which is
// above 0 and below 1.
double normal_below(double z);
double normal_quantile(double probability);
inline constexpr double kNormalQuantile975 = 1.959963984540054;  // half a 95 % interval

// The value that Student's t with `degrees` >= 1 stays below with probability 0.975: half a 95 % interval.
double student_t_quantile_975(int degrees);

// P(|T| < t) for Student's t with `degrees` >= 1.
double student_t_within(double t, int degrees);

}  // namespace stash
