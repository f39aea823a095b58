#include "stash/share/day.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <random>

#include "stash/core/error.h"
#include "stash/core/statistics.h"
#include "stash/core/units.h"
#include "stash/share/storage_shares.h"

namespace stash {
namespace {

constexpr double kShortestHours = 0.5;
constexpr double kLongestHours = 3;

class OneDay {
 public:
  OneDay(std::span<const DayJob> jobs, const DayMachine& machine, Policy policy)
      : jobs_(jobs), machine_(machine), policy_(policy), order_(jobs.size()) {
    for (const DayJob& job : jobs) left_.push_back(job.curve.samples_left.value_or(0));
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t j) { return jobs_[j].arrives_s; });
    day_.policy = policy;
    day_.ended_s.resize(jobs.size());
  }

  // `at_moment` is told of each stretch between two events: its length and the curves of the jobs that run.
  template <class AtMoment>
  PolicyDay run(const AtMoment& at_moment) {
    while (next_ < order_.size() || !running_.empty()) {
      admit();
      if (running_.empty()) {
        now_s_ = jobs_[order_[next_]].arrives_s;
        continue;
      }
      step(at_moment);
    }
    finish();
    return std::move(day_);
  }

 private:
  void admit() {
    while (next_ < order_.size() && jobs_[order_[next_]].arrives_s <= now_s_ &&
           static_cast<int>(running_.size()) < machine_.gpus) {
      running_.push_back(order_[next_++]);
    }
  }

  template <class AtMoment>
  void step(const AtMoment& at_moment) {
    std::vector<SupplyCurve> curves;
    for (const std::size_t j : running_) curves.push_back(jobs_[j].curve);
    const Allocation given = allocate_by(policy_, curves, machine_.resources);
    const std::vector<Rate> rates = rates_of(curves, given);
    double step_s = kAllStorage;
    for (std::size_t i = 0; i < running_.size(); ++i) step_s = std::min(step_s, left_[running_[i]] / rates[i].per_s);
    const bool has_room = static_cast<int>(running_.size()) < machine_.gpus;
    if (has_room && next_ < order_.size()) step_s = std::min(step_s, jobs_[order_[next_]].arrives_s - now_s_);
    at_moment(step_s, curves);
    now_s_ += step_s;
    busy_s_ += step_s;
    used_core_s_ += step_s * (machine_.resources.cores - given.idle_cores);
    std::vector<std::size_t> still;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const std::size_t j = running_[i];
      const double done = rates[i].per_s * step_s;
      left_[j] -= done;
      if (left_[j] > 1e-9 * std::max(done, 1.0)) {
        still.push_back(j);
      } else {
        day_.ended_s[j] = now_s_;
      }
    }
    running_ = std::move(still);
  }

  void finish() {
    day_.makespan_s = now_s_;
    for (std::size_t j = 0; j < jobs_.size(); ++j) day_.mean_completion_s += day_.ended_s[j] - jobs_[j].arrives_s;
    day_.mean_completion_s /= static_cast<double>(jobs_.size());
    day_.used_cores_ratio = used_core_s_ / (busy_s_ * machine_.resources.cores);
  }

  std::span<const DayJob> jobs_;
  const DayMachine& machine_;
  Policy policy_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;  // to be admitted
  std::vector<std::size_t> running_;
  std::vector<double> left_;
  double now_s_ = 0, busy_s_ = 0, used_core_s_ = 0;
  PolicyDay day_;
};

void check(std::span<const DayJob> jobs, const DayMachine& machine) {
  if (jobs.empty() || jobs.size() > kMostDayJobs) {
    throw UsageError(fmt::format("a day has 1 to {} jobs, not {}", kMostDayJobs, jobs.size()));
  }
  if (machine.gpus < 1 || machine.gpus > kMostSharedJobs) {
    throw UsageError(fmt::format("--gpus {} is out of range: it takes 1 to {}", machine.gpus, kMostSharedJobs));
  }
  int most = 0;
  for (const DayJob& job : jobs) {
    check_fit({&job.curve, 1}, machine.resources);
    most = std::max(most, job.curve.min_workers * job.curve.ranks);
    const double work = job.curve.samples_left.value_or(0);
    if (!(work > 0) || !std::isfinite(work) || !(job.arrives_s >= 0) || !std::isfinite(job.arrives_s)) {
      throw UsageError(fmt::format("job '{}' needs a number of samples above 0 and a time of arrival", job.curve.name));
    }
  }
  if (std::int64_t{most} * machine.gpus > machine.resources.cores) {
    throw UsageError(fmt::format("{} jobs of at least {} workers need {} cores, and --cores is {}", machine.gpus, most,
                                 std::int64_t{most} * machine.gpus, machine.resources.cores));
  }
}

DayFigure figure_of(const std::vector<double>& ratios) {
  DayFigure figure{.ratio = mean(ratios), .low_ratio = {}, .high_ratio = {}};
  if (ratios.size() < 2) return figure;
  const double half = student_t_quantile_975(static_cast<int>(ratios.size()) - 1) *
                      std::sqrt(sample_variance(ratios) / static_cast<double>(ratios.size()));
  figure.low_ratio = figure.ratio - half;
  figure.high_ratio = figure.ratio + half;
  return figure;
}

}  // namespace

std::vector<PolicyDay> simulate_day(std::span<const DayJob> jobs, const DayMachine& machine) {
  check(jobs, machine);
  constexpr auto kPolicies = every(Policy{});
  std::array<double, kPolicies.size()> gained{};
  double busy_s = 0;
  const auto compare = [&](double step_s, std::span<const SupplyCurve> curves) {
    const std::vector<Rate> even = rates_of(curves, even_split(curves, machine.resources));
    for (std::size_t p = 0; p < kPolicies.size(); ++p) {
      const Allocation given = allocate_by(kPolicies[p], curves, machine.resources);
      gained[p] += step_s * mean_ratio(rates_of(curves, given), even);
    }
    busy_s += step_s;
  };
  std::vector<PolicyDay> days;
  days.push_back(OneDay(jobs, machine, Policy::even).run(compare));
  for (const Policy policy : kPolicies) {
    if (policy == Policy::even) continue;
    days.push_back(OneDay(jobs, machine, policy).run([](double, std::span<const SupplyCurve>) {}));
  }
  for (std::size_t p = 0; p < days.size(); ++p) days[p].throughput_ratio = gained[p] / busy_s;
  return days;
}

std::vector<DayJob> draw_day(const DayPlan& plan, const DayMachine& machine) {
  if (!(plan.load > 0) || plan.load > 100) throw UsageError(fmt::format("--load {} is out of range", plan.load));
  if (plan.jobs < 1 || static_cast<std::size_t>(plan.jobs) > kMostDayJobs) {
    throw UsageError(fmt::format("--count {} is out of range: it takes 1 to {}", plan.jobs, kMostDayJobs));
  }
  std::mt19937_64 random(plan.seed);
  // Of the library's own distributions results differ between implementations.
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(uniform() * static_cast<double>(count)); };
  const double mean_s = (kShortestHours + kLongestHours) / 2 * kSecondsPerHour;
  const double mean_gap_s = mean_s / (machine.gpus * plan.load);
  std::vector<DayJob> jobs;
  double now_s = 0;
  for (int i = 0; i < plan.jobs; ++i) {
    const auto& kind = plan.kinds[pick(plan.kinds.size())];
    DayJob job{.curve = kind[pick(kind.size())], .arrives_s = now_s};
    job.curve.samples_left = (kShortestHours + (kLongestHours - kShortestHours) * uniform()) * kSecondsPerHour;
    jobs.push_back(std::move(job));
    now_s += -std::log(1 - uniform()) * mean_gap_s;
  }
  return jobs;
}

std::vector<PolicySummary> summarize(std::span<const std::vector<PolicyDay>> days) {
  std::vector<PolicySummary> rows;
  for (std::size_t p = 0; p < days.front().size(); ++p) {
    std::vector<double> throughput, completion, makespan, used;
    for (const std::vector<PolicyDay>& day : days) {
      throughput.push_back(day[p].throughput_ratio - 1);
      completion.push_back(day[0].mean_completion_s / day[p].mean_completion_s - 1);
      makespan.push_back(day[0].makespan_s / day[p].makespan_s - 1);
      used.push_back(day[p].used_cores_ratio);
    }
    rows.push_back({.policy = days.front()[p].policy,
                    .throughput_gain = figure_of(throughput),
                    .completion_gain = figure_of(completion),
                    .makespan_gain = figure_of(makespan),
                    .used_cores_ratio = mean(used)});
  }
  return rows;
}

}  // namespace stash
