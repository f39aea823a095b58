#pragma once

#include "script.h"

namespace stash {

// Chance that depends on its place alone, so that every rank draws the same without asking the others.
class ScriptedChance {
 public:
  explicit ScriptedChance(const ScriptedNoise& noise) : noise_(noise) {}

  double step_s(std::uint64_t run, std::uint64_t step) const;  // what is added to one step
  double batch_s(std::uint64_t batch) const;                   // to the making of one batch
  double hit_s(std::uint64_t run) const;                       // to a run of steps; mostly 0
  double slowed(std::int64_t at_ns) const;                     // the factor that drift has reached

 private:
  double varied_s(std::uint64_t place) const;
  double uniform(std::uint64_t place) const;
  double normal(std::uint64_t place) const;

  ScriptedNoise noise_;
};

}  // namespace stash
