#include "stash/predict/work.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

// Spread of the logarithms, as seen when the roofline was fitted: of the GPU's part for a network that was not in the
// fit, and of the CPU's part.
constexpr double kGpuSpread = 0.35;
constexpr double kHostSpread = 0.20;

// Steps of half the way converge from any start, because the shares change slowly.
constexpr int kIterations = 30;
constexpr double kDamping = 0.5;

// The part of the step that grows with the GPU's part.
double share_of_gpu(const StepSum& sum) {
  const double passes_s = joined_s(sum.passes), optimizer_s = joined_s(sum.optimizer);
  return (passes_s * gpu_share(sum.passes) + optimizer_s * gpu_share(sum.optimizer)) / (passes_s + optimizer_s);
}

PassTime scaled(const PassTime& time, const WorkRatios& ratios) {
  return {time.gpu_s * ratios.gpu, time.host_s * ratios.host};
}

}  // namespace

StepSum sum_of(const StepTime& step) { return {step.passes(), step.optimizer}; }

double seconds_of(const StepSum& sum) { return joined_s(sum.passes) + joined_s(sum.optimizer); }

StepSum with_ratios(const StepSum& sum, const WorkRatios& ratios) {
  return {scaled(sum.passes, ratios), scaled(sum.optimizer, ratios)};
}

// The maximum of a normal prior on both logarithms and a normal error of the measurement, by Gauss-Newton steps. A
// measurement far off widens the prior of the GPU's part: then the job is not what its graph says, as other frameworks'
// networks of the same name are not.
WorkRatios ratios_of(const StepSum& estimated, double measured_s) {
  const double off = std::log(measured_s / seconds_of(estimated));
  const double gpu_variance = std::pow(std::max(kGpuSpread, std::abs(off)), 2);
  const double host_variance = kHostSpread * kHostSpread;
  // Far beyond the launches it can only be the GPU's part; from 1 the steps would not find that.
  const double gpu_s = estimated.passes.gpu_s + estimated.optimizer.gpu_s;
  double log_gpu = off > kGpuSpread ? std::log(measured_s / gpu_s) : 0;
  double log_host = 0;
  for (int i = 0; i < kIterations; ++i) {
    const StepSum now = with_ratios(estimated, {std::exp(log_gpu), std::exp(log_host)});
    const double gpu = share_of_gpu(now), host = 1 - gpu;
    const double rest = std::log(measured_s / seconds_of(now)) + gpu * log_gpu + host * log_host;
    const double variance = kMeasuredSpread * kMeasuredSpread + gpu_variance * gpu * gpu + host_variance * host * host;
    log_gpu += kDamping * (gpu_variance * gpu * rest / variance - log_gpu);
    log_host += kDamping * (host_variance * host * rest / variance - log_host);
  }
  return {std::exp(log_gpu), std::exp(log_host)};
}

bool is_nearer(const StepSum& candidate, const StepSum& other, double measured_s) {
  const auto distance = [&](const StepSum& sum) { return std::abs(std::log(seconds_of(sum) / measured_s)); };
  return distance(candidate) < distance(other);
}

WorkRatios carried(const WorkRatios& ratios, const StepSum& first, const StepSum& second, double reference_ratio) {
  const double like = std::min(ratios.gpu, std::exp(kGpuSpread));
  const double first_s = first.passes.gpu_s + first.optimizer.gpu_s;
  const double second_s = second.passes.gpu_s + second.optimizer.gpu_s;
  return {like + (ratios.gpu - like) * first_s * reference_ratio / second_s, ratios.host};
}

}  // namespace stash
