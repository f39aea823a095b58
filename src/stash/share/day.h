#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/share/policy.h"

namespace stash {

inline constexpr std::size_t kMostDayJobs = 10'000;

struct DayJob {
  SupplyCurve curve;  // samples_left: what it has to do
  double arrives_s = 0;
};

struct DayMachine {
  int gpus = 8;  // jobs that can run at a time; others wait in the order of their arrival
  Resources resources;
};

// What a policy makes of a day.
struct PolicyDay {
  Policy policy = Policy::even;
  double makespan_s = 0;         // until the last job has ended
  double mean_completion_s = 0;  // from arrival to end
  double throughput_ratio = 1;   // of the jobs that run, at the moments of the even split's day, to the even split
  double used_cores_ratio = 0;   // of the cores, while jobs run
  std::vector<double> ended_s;   // by job
};

// Rates hold from one arrival or departure to the next. UsageError where a job cannot run at all.
std::vector<PolicyDay> simulate_day(std::span<const DayJob> jobs, const DayMachine& machine);

// A day of `jobs` jobs whose kind and curve are drawn, each as likely as the others; they arrive at random such that
// the machine has `load` times as much to do as it can with an even split, and take half an hour to three hours with 3
// CPUs. Pure function of the seed.
struct DayPlan {
  std::vector<std::vector<SupplyCurve>> kinds;
  int jobs = 100;
  double load = 1;
  std::uint64_t seed = 1;
};
std::vector<DayJob> draw_day(const DayPlan& plan, const DayMachine& machine);

// A policy's days beside the even split's, with 95 % intervals over the days; one day has none.
struct DayFigure {
  double ratio = 0;
  std::optional<double> low_ratio, high_ratio;
};
struct PolicySummary {
  Policy policy = Policy::even;
  DayFigure throughput_gain;  // each less 1
  DayFigure completion_gain;  // of the mean completion time
  DayFigure makespan_gain;
  double used_cores_ratio = 0;
};
std::vector<PolicySummary> summarize(std::span<const std::vector<PolicyDay>> days);

}  // namespace stash
