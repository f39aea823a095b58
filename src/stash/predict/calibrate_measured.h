#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stash/predict/described_cluster.h"
#include "stash/predict/most_likely.h"
#include "stash/predict/predict_job.h"
#include "stash/predict/scaling.h"

namespace stash {

// A kind of links whose rates are off alike: those between the GPUs of a node, by how they are linked, or "network".
std::string node_links_of(const Instance& instance);
inline constexpr const char* kNetworkLinks = "network";

// By what factors figures of a cluster may still be off after measured steps; nullopt: they say nothing of it.
struct StillOff {
  std::optional<double> links_ratio;
  std::optional<double> network_ratio;
  std::optional<double> waits_more;  // as in Uncertainty
};

// What measured step times say of a job.
class Calibration {
 public:
  // UsageError names the measured step from which nothing follows, and why.
  explicit Calibration(const PredictJob& job);

  // The job's times on `target`, from its step on the most similar GPU that was measured.
  ScaledTimes times_on(const PredictJob& job, const Gpu& target) const;

  // Scales the links of the kinds that were measured, and what ranks of a node cost each other, and says so. Rates that
  // `what_if` gives stay.
  StillOff apply(const Instance& instance, const WhatIf& what_if, DescribedCluster& described) const;

  // How much more the links of a kind carry than was expected; nullptr: nothing was measured.
  const LikelyFactor* links(const std::string& kind) const;
  // How much longer ranks of a node compute beside each other than was expected; nullptr: nothing was measured.
  const LikelyFactor* beside() const { return beside_ ? &*beside_ : nullptr; }
  // The step on one GPU of this name; nullopt: none was measured.
  std::optional<double> step_s(const std::string& gpu) const;

 private:
  struct Compute {
    StepOnGpu step;
    double log_spread = 0;  // half the 95 % interval
  };
  const Compute& nearest(const Gpu& target) const;

  bool has_several_gpus_ = false;  // some step was measured on several GPUs
  std::vector<Compute> compute_;
  std::map<std::string, LikelyFactor> links_;
  std::optional<LikelyFactor> beside_;
};

// The rates of a cluster's links multiplied, inside nodes and between them; latencies shrink alike.
void scale_links(Cluster& cluster, double node_ratio, double network_ratio);

}  // namespace stash
