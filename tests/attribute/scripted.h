#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "stash/attribute/round_table.h"
#include "stash/core/profile.h"

namespace stash::testing_support {

// What disturbs a scripted measurement. Times in seconds of one step.
struct Noise {
  double normal_s = 0;         // standard deviation of every window
  double skewed_s = 0;         // the same, log-normal, mean 0
  double drift_s = 0;          // by which a step grows from one window to the next
  double wander_s = 0;         // standard deviation of what moves slowly and comes back: clocks, neighbours
  double hit_probability = 0;  // of a window being hit from outside
  double hit_s = 0;            // by so much, up to five times as much
  double calm_ratio = 1;       // how much of all this a window without collectives and input has
};

// A job of `ranks` ranks on one node whose parts are known, measured with scripted noise.
struct Script {
  std::vector<Condition> chain{Condition::solo, Condition::apart, Condition::node, Condition::hot, Condition::cold};
  std::vector<double> added_s{0.100, 0.005, 0.030, 0.000, 0.010};
  int ranks = 2;
  int steps = 4;
  Noise noise;
};

class ScriptedProfile {
 public:
  ScriptedProfile(Script script, unsigned seed) : script_(std::move(script)), random_(seed) {
    profile_.job.ranks = script_.ranks;
    profile_.complete = true;
    profile_.stopped_by = StoppedBy::precision;
  }

  void add_round() {
    std::vector<std::size_t> order(script_.chain.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t place : order) add_window(place);
    ++round_;
  }
  ScriptedProfile& add_rounds(int count) {
    for (int i = 0; i < count; ++i) add_round();
    return *this;
  }
  Profile& profile() { return profile_; }

 private:
  void add_window(std::size_t place) {
    const double true_s =
        std::accumulate(script_.added_s.begin(), script_.added_s.begin() + static_cast<std::ptrdiff_t>(place) + 1, 0.0);
    const bool calm = script_.chain[place] == Condition::solo || script_.chain[place] == Condition::apart;
    const double wall_s = script_.steps * (true_s + noise_s() * (calm ? script_.noise.calm_ratio : 1));
    Window window{round_, script_.chain[place], script_.steps, {}, {}, {}, {}};
    for (int rank = 0; rank < script_.ranks; ++rank) {
      const bool waits = window.condition == Condition::solo && rank > 0;
      window.ranks.push_back(waits ? std::nullopt : std::optional(RankSample{wall_s, 0, 0}));
    }
    profile_.windows.push_back(std::move(window));
  }

  double noise_s() {
    const Noise& noise = script_.noise;
    constexpr double kSigma = 0.5;  // skewness 1.75
    const double mean = std::exp(kSigma * kSigma / 2);
    const double deviation = mean * std::sqrt(std::exp(kSigma * kSigma) - 1);
    double sum_s = noise.normal_s * normal_(random_) + noise.drift_s * windows_++;
    sum_s += noise.skewed_s * (std::exp(kSigma * normal_(random_)) - mean) / deviation;
    if (uniform_(random_) < noise.hit_probability) sum_s += noise.hit_s * (1 + 4 * uniform_(random_));
    return noise.wander_s > 0 ? sum_s + noise.wander_s * next_wander() : sum_s;
  }

  // Of standard deviation 1; half of it is left after a round of five windows, as in profiles of busy machines.
  double next_wander() {
    constexpr double kKept = 0.87;
    wander_ = windows_ == 1 ? normal_(random_) : kKept * wander_ + std::sqrt(1 - kKept * kKept) * normal_(random_);
    return wander_;
  }

  Script script_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  Profile profile_;
  int round_ = 0;
  int windows_ = 0;
  double wander_ = 0;
};

}  // namespace stash::testing_support
