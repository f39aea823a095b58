#pragma once

#include <map>
#include <optional>
#include <vector>

#include "stash/import/operator_inputs.h"

namespace stash {

// Whose weight an operator reads: its own, one that an earlier operator has already, or one that is not trained.
enum class WeightUse { own, shared, frozen };

// The parameters that a script trains, by shape: operators take them as they read them.
class ParameterPool {
 public:
  ParameterPool() = default;  // not known: every weight counts as an operator's own
  explicit ParameterPool(const std::vector<Dims>& shapes);

  WeightUse take(const Dims& shape);
  bool knows() const { return known_; }
  bool has(const Dims& shape) const { return left_.contains(shape); }  // whether or not one is left
  std::vector<Dims> left() const;                                      // that no operator took

 private:
  bool known_ = false;
  std::map<Dims, int> left_;
};

}  // namespace stash
