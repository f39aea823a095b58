#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stash/advise/job_facts.h"
#include "stash/predict/predict.h"

namespace stash {

// Suggestions whose savings are simulated, as `stash predict FILE --set` does: the step on the profile's own machine
// with and without the change. `facts` must outlive it.
class SimulatedSteps {
 public:
  // nullopt: the profile has not what the simulator needs, as those of scripts and of the CPU.
  static std::optional<SimulatedSteps> of(const JobFacts& facts);

  // nullopt: the simulated stall is not the measured one, so nothing follows from simulating. Not all are worth it.
  std::optional<std::vector<FirstStep>> against(const Stall& stall, std::span<const Instance> instances);

  // What a fix saves of a step under a condition, scaled from the simulated stall to the measured one. nullopt: the
  // simulator does not cover it.
  std::optional<double> saved_by(const Fix& fix, Condition condition) const;

 private:
  using Apply = std::function<void(Setting&)>;

  SimulatedSteps(const JobFacts& facts, PredictJob job);
  double simulated_s(const Stall& stall) const;  // 0: there is no such part
  double step_s(const Setting& setting, const Stall& stall) const;
  Estimate saving(const Stall& stall, const Apply& apply, int samples_ratio = 1) const;
  Estimate of_measured(const Stall& stall, const Estimate& saved) const;

  void add_workers(const Stall& stall, std::vector<FirstStep>& steps) const;
  void add_storage(const Stall& stall, std::vector<FirstStep>& steps) const;
  void add_bucket(const Stall& stall, std::vector<FirstStep>& steps) const;
  void add_compression(const Stall& stall, std::vector<FirstStep>& steps) const;
  void add_batch(const Stall& stall, std::vector<FirstStep>& steps) const;
  void add_machine(const Stall& stall, std::span<const Instance> instances, std::vector<FirstStep>& steps) const;
  bool doubled_batch_fits() const;

  const JobFacts* facts_;
  PredictJob job_;
  Setting here_;
};

}  // namespace stash
