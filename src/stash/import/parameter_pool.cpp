#include "stash/import/parameter_pool.h"

namespace stash {

ParameterPool::ParameterPool(const std::vector<Dims>& shapes) : known_(true) {
  for (const Dims& shape : shapes) ++left_[shape];
}

WeightUse ParameterPool::take(const Dims& shape) {
  if (!known_) return WeightUse::own;
  const auto found = left_.find(shape);
  if (found == left_.end()) return WeightUse::frozen;
  if (found->second == 0) return WeightUse::shared;
  --found->second;
  return WeightUse::own;
}

std::vector<Dims> ParameterPool::left() const {
  std::vector<Dims> shapes;
  for (const auto& [shape, count] : left_) shapes.insert(shapes.end(), static_cast<std::size_t>(count), shape);
  return shapes;
}

}  // namespace stash
