#include "stash/share/pool/gain_meter.h"

#include <cmath>

#include "stash/core/statistics.h"

namespace stash {
namespace {

constexpr int kFewestPairsToTell = 4;

}  // namespace

void GainMeter::begin_pair() {
  loads_.clear();
  is_second_ = false;
  side_ = random_() % 2 == 0 ? PoolPolicy::need : PoolPolicy::even;
}

void GainMeter::restart(double now_s) {
  start_s_ = now_s;
  begin_pair();
}

bool GainMeter::advance(double now_s) {
  if (now_s < ends_s()) return false;
  start_s_ = now_s;
  if (is_second_) {
    end_pair();
    begin_pair();
  } else {
    is_second_ = true;
    side_ = side_ == PoolPolicy::need ? PoolPolicy::even : PoolPolicy::need;
  }
  return true;
}

void GainMeter::add(const std::string& job, int rank, double samples, double elapsed_s) {
  Loaded& loaded = loads_[side_][job][rank];
  loaded.samples += samples;
  loaded.elapsed_s += elapsed_s;
}

GainMeter::JobRates GainMeter::rates_of_window(const JobLoads& loads) {
  JobRates rates;
  for (const auto& [job, ranks] : loads) {
    for (const auto& [rank, loaded] : ranks) {
      if (loaded.elapsed_s > 0) rates[job] += loaded.samples / loaded.elapsed_s;
    }
  }
  return rates;
}

void GainMeter::end_pair() {
  const JobRates need = rates_of_window(loads_[PoolPolicy::need]), even = rates_of_window(loads_[PoolPolicy::even]);
  if (need.empty() || need.size() != even.size()) return;
  double sum = 0;
  for (const auto& [job, rate] : need) {
    const auto found = even.find(job);
    if (found == even.end() || !(found->second > 0) || !(rate > 0)) return;
    sum += rate / found->second;
  }
  gains_.push_back(sum / static_cast<double>(need.size()) - 1);
}

std::optional<PoolGain> GainMeter::gain() const {
  if (gains_.empty()) return std::nullopt;
  PoolGain gain{.pairs = static_cast<int>(gains_.size()), .ratio = mean(gains_)};
  if (gains_.size() < 2) return gain;
  const double half = student_t_quantile_975(gain.pairs - 1) * std::sqrt(sample_variance(gains_) / gain.pairs);
  gain.low_ratio = gain.ratio - half;
  gain.high_ratio = gain.ratio + half;
  return gain;
}

bool GainMeter::is_loss() const {
  const std::optional<PoolGain> known = gain();
  return known && known->pairs >= kFewestPairsToTell && known->high_ratio.value_or(0) < 0;
}

}  // namespace stash
