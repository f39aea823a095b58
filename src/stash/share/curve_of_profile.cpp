#include "stash/share/curve_of_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stash/attribute/attribute.h"
#include "stash/attribute/steady_fetch.h"
#include "stash/catalog/gpu_model.h"
#include "stash/core/error.h"
#include "stash/core/job.h"
#include "stash/predict/described_cluster.h"
#include "stash/predict/simulate.h"

namespace stash {
namespace {

// Workers share memory and caches: each doubling of their number is known to this (docs/sharing.md).
constexpr double kDoublingRatio = 0.03;
// Known of what the simulator says at the measured number of workers.
constexpr double kModelRatio = 0.01;
// The step is taken to wait for its input when that makes it this much longer.
constexpr double kBoundRatio = 1.02;
constexpr int kRefinements = 8;
// A simulated step is that without input when it is at most this much longer.
constexpr double kFedRatio = 1 + 1e-9;
constexpr int kEachSimulated = 48;  // workers
constexpr double kSimulatedGrowth = 1.1;

double relative_half_width(const Estimate& time) { return time.s > 0 ? half_width_s(time) / time.s : 0; }

// A measured job as the simulator takes it: one layer as long as the step without input.
class MeasuredInput {
 public:
  MeasuredInput(const Profile& profile, const CurveOptions& options)
      : profile_(profile),
        ledger_(attribute(profile)),
        ranks_(std::max(1, profile.job.ranks / count_nodes(profile.places))) {
    find_steps();
    batch_ = std::max(profile.job.batch, 1);
    workers_ = std::max(profile.job.workers, 1);
    const MeasuredProfile measured{profile, ledger_, gpu_of(profile.job.device, profile.machine.gpus)};
    storage_ = storage_of(measured, options);
    cached_ratio_ = options.cached_ratio.value_or(steady_cached_ratio());
    set_sample_cost();
    if (is_input_bound()) refine();
  }

  int ranks() const { return ranks_; }
  int workers() const { return workers_; }
  double samples_per_step() const { return static_cast<double>(batch_) * ranks_; }
  double bytes_per_sample() const { return cold_ ? bytes_ * (1 - cached_ratio_) : 0; }
  const Estimate& fed() const { return fed_; }
  const Estimate& measured() const { return hot_; }
  bool is_input_bound() const { return hot_.s > fed_.s * kBoundRatio; }
  bool has_sample_cost() const { return has_cost_; }

  // The step with so many workers, each on a core of its own.
  double step_s(int workers) const { return step_s(workers, kNoLimit, cached_ratio_); }

 private:
  void find_steps() {
    const auto& steps = ledger_.step_by_condition;
    std::optional<Estimate> fed, hot;
    for (const auto& [condition, step] : steps) (uses_input(condition) ? hot : fed) = step;
    if (steps.contains(Condition::hot)) hot = steps.at(Condition::hot);
    cold_ = steps.contains(Condition::cold);
    if (!fed || !hot) {
      throw Error(
          "its profile does not have the step with and without input: profile it again, with --data and without "
          "--conditions");
    }
    fed_ = *fed;
    hot_ = *hot;
  }

  static std::optional<double> storage_of(const MeasuredProfile& measured, const CurveOptions& options) {
    if (options.storage_bytes_per_s) return options.storage_bytes_per_s;
    const Cluster cluster = measured_cluster(measured, {}).cluster;
    return std::isfinite(cluster.storage_bytes_per_s) ? std::optional(cluster.storage_bytes_per_s) : std::nullopt;
  }

  double steady_cached_ratio() const {
    if (!cold_) return 1;
    return ledger_.steady_fetch ? ledger_.steady_fetch->cached_ratio : 0;
  }

  void set_sample_cost() {
    double samples = 0, bytes = 0, cpu_s = 0;
    for (const InputCounters& counters : profile_.inputs) {
      samples += static_cast<double>(counters.samples);
      bytes += static_cast<double>(counters.read_bytes);
      cpu_s += counters.decode_s + counters.augment_s;
    }
    has_cost_ = samples > 0 && profile_.job.batch > 0;
    least_s_ = profile_.job.inject.prep_s_per_sample.value_or(0);
    bytes_ = samples > 0 ? bytes / samples : 0;
    // Workers of a script do not tell: where the step waits for them they work all the time; else they took no longer.
    cpu_s_ = has_cost_ ? cpu_s / samples : hot_.s * workers_ / batch_;
  }

  double step_s(int workers, double cores, double cached_ratio) const {
    StepJob job;
    job.layers = {{fed_.s, 0, 0}};
    job.batch = batch_;
    job.input = StepInput{.sample_storage_bytes = bytes_,
                          .sample_cpu_s = cpu_s_,
                          .sample_least_s = least_s_,
                          .workers = workers,
                          .prefetch = std::max(profile_.job.prefetch, 2)};
    Cluster cluster;
    cluster.ranks_per_node = ranks_;
    cluster.cores = cores;
    if (storage_) cluster.storage_bytes_per_s = *storage_;
    cluster.storage_per_rank = profile_.job.inject.read_bytes_per_s.has_value();
    return simulate_cached_s(job, cluster, cached_ratio);
  }

  // The CPU time of a sample with which the simulator takes as long as was measured with warm pages.
  void refine() {
    const double cores = profile_.machine.cores > 0 ? profile_.machine.cores : kNoLimit;
    for (int i = 0; i < kRefinements; ++i) {
      const double simulated_s = step_s(workers_, cores, 1);
      const double ratio = std::clamp(hot_.s / simulated_s, 0.5, 2.0);
      cpu_s_ *= ratio;
      if (least_s_ > 0) least_s_ *= ratio;
    }
  }

  const Profile& profile_;
  Ledger ledger_;
  int ranks_, batch_ = 1, workers_ = 1;
  Estimate fed_, hot_;  // the step without input, and with it from the page cache
  bool cold_ = false;   // storage was measured
  bool has_cost_ = false;
  std::optional<double> storage_;
  double cached_ratio_ = 1;
  double bytes_ = 0, cpu_s_ = 0, least_s_ = 0;  // of a sample
};

// How much faster than simulated the input was at each measured number of workers; in between by the logarithm.
class Correction {
 public:
  explicit Correction(std::vector<std::pair<double, double>> ratios) : ratios_(std::move(ratios)) {
    std::ranges::sort(ratios_);
  }
  double at(int workers) const {
    if (ratios_.empty()) return 1;
    const double x = std::log2(workers);
    if (x <= ratios_.front().first) return ratios_.front().second;
    for (std::size_t i = 1; i < ratios_.size(); ++i) {
      const auto& [x0, y0] = ratios_[i - 1];
      const auto& [x1, y1] = ratios_[i];
      if (x <= x1) return x1 == x0 ? y1 : y0 + (y1 - y0) * (x - x0) / (x1 - x0);
    }
    return ratios_.back().second;
  }
  // Doublings to the nearest measured number.
  double distance(int workers) const {
    double nearest = 10;
    for (const auto& [x, ratio] : ratios_) nearest = std::min(nearest, std::abs(std::log2(workers) - x));
    return ratios_.empty() ? std::log2(workers) : nearest;
  }

 private:
  std::vector<std::pair<double, double>> ratios_;  // log2 of workers; measured over simulated rate
};

// The step with 1, 2, ... workers. There may be hundreds: beyond the first few dozen some are simulated, and rates
// between them are interpolated; beyond those with which nothing waits for the input nothing changes.
std::vector<double> simulated_steps_s(const MeasuredInput& input, int most) {
  std::vector<double> steps_s;
  while (static_cast<int>(steps_s.size()) < most) {
    const auto last = static_cast<int>(steps_s.size());
    if (last > 0 && steps_s.back() <= input.fed().s * kFedRatio) {
      steps_s.resize(static_cast<std::size_t>(most), steps_s.back());
      break;
    }
    const int next = last < kEachSimulated ? last + 1 : std::min(static_cast<int>(last * kSimulatedGrowth), most);
    const double next_s = input.step_s(next);
    for (int workers = last + 1; workers < next; ++workers) {
      const double way = static_cast<double>(workers - last) / (next - last);
      const double before = 1 / steps_s[static_cast<std::size_t>(last - 1)];
      steps_s.push_back(1 / (before + way * (1 / next_s - before)));
    }
    steps_s.push_back(next_s);
  }
  return steps_s;
}

Rate with_half_width(double per_s, double ratio) { return {per_s, per_s / (1 + ratio), per_s * (1 + ratio)}; }

void check_same_job(const Profile& one, const Profile& other, const std::string& name) {
  if (one.job.model == other.job.model && one.job.batch == other.job.batch && one.job.ranks == other.job.ranks &&
      one.job.command == other.job.command) {
    return;
  }
  throw UsageError(fmt::format(
      "the profiles of {} are of different jobs: join with a comma only those that differ in their workers", name));
}

}  // namespace

std::optional<double> measured_storage_bytes_per_s(const Profile& profile) {
  const Ledger ledger = attribute(profile);
  const MeasuredProfile measured{profile, ledger, gpu_of(profile.job.device, profile.machine.gpus)};
  const Cluster cluster = measured_cluster(measured, {}).cluster;
  if (!std::isfinite(cluster.storage_bytes_per_s)) return std::nullopt;
  const int ranks = std::max(1, profile.job.ranks / count_nodes(profile.places));
  return cluster.storage_bytes_per_s * (cluster.storage_per_rank ? ranks : 1);
}

SupplyCurve curve_of(std::span<const Profile> profiles, std::string name, const CurveOptions& options) {
  std::vector<MeasuredInput> inputs;
  for (const Profile& profile : profiles) {
    check_same_job(profiles.front(), profile, name);
    try {
      inputs.emplace_back(profile, options);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      throw Error(fmt::format("job '{}': {}", name, error.what()));
    }
  }
  const MeasuredInput& base = inputs.front();
  std::vector<std::pair<double, double>> ratios;
  for (const MeasuredInput& input : inputs) {
    if (!input.is_input_bound()) continue;
    ratios.emplace_back(std::log2(input.workers()),
                        base.measured().s > 0 ? base.step_s(input.workers()) / input.measured().s : 1);
  }
  // Against warm pages, as it was measured; the first profile's own ratio is 1 by its refinement.
  const Correction correction(profiles.size() > 1 ? ratios : std::vector<std::pair<double, double>>{});

  SupplyCurve curve;
  curve.name = std::move(name);
  curve.ranks = base.ranks();
  const double samples = base.samples_per_step();
  const double fed_ratio = relative_half_width(base.fed());
  curve.ceiling = with_half_width(samples / base.fed().s, fed_ratio);
  curve.storage_bytes_per_sample = base.bytes_per_sample();
  const double measured_ratio = std::hypot(relative_half_width(base.measured()), kModelRatio);
  const int most = std::clamp(options.most_workers, 1, kMostWorkersPerRank);
  const std::vector<double> simulated_s = simulated_steps_s(base, most);
  for (int workers = 1; workers <= most; ++workers) {
    const double supply_s = simulated_s[static_cast<std::size_t>(workers - 1)] / correction.at(workers);
    const double step_s = std::max(supply_s, base.fed().s);
    const bool bound = step_s > base.fed().s * kBoundRatio;
    const double far = profiles.size() > 1 ? correction.distance(workers)
                                           : std::abs(std::log2(static_cast<double>(workers) / base.workers()));
    Rate rate = with_half_width(samples / step_s, bound ? std::hypot(measured_ratio, kDoublingRatio * far) : fed_ratio);
    if (bound && !base.has_sample_cost() && !base.is_input_bound()) rate.high_per_s = curve.ceiling.high_per_s;
    rate.high_per_s = std::min(rate.high_per_s, std::max(curve.ceiling.high_per_s, rate.per_s));
    curve.by_workers.push_back(rate);
  }
  if (profiles.front().dataset_samples) curve.samples_left = static_cast<double>(*profiles.front().dataset_samples);
  if (!base.has_sample_cost() && !base.is_input_bound()) {
    curve.assumptions.push_back(fmt::format(
        "{}: its input kept up with {} workers, and a script's workers do not say how busy they were: fewer may do",
        curve.name, base.workers()));
  }
  if (profiles.front().job.batch == 0) {
    curve.assumptions.push_back(
        fmt::format("{}: its batch size is not known: rates are batches per second", curve.name));
  }
  return curve;
}

}  // namespace stash
