#include "stash/measure/control.h"

#include <algorithm>

namespace stash {

void Control::barrier() {
  if (!backend_) return;
  state_.beat(Phase::waiting);
  backend_->barrier()->wait();
  state_.beat(Phase::working);
}

std::vector<std::vector<double>> Control::gather(std::span<const double> values) {
  if (!backend_) return {{values.begin(), values.end()}};
  const auto count = static_cast<int64_t>(values.size());
  at::Tensor own = at::empty({count}, at::kDouble);
  std::copy(values.begin(), values.end(), own.data_ptr<double>());
  std::vector<at::Tensor> inputs{own};
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int i = 0; i < size(); ++i) outputs[0].push_back(at::empty({count}, at::kDouble));
  state_.beat(Phase::waiting);
  backend_->allgather(outputs, inputs)->wait();
  state_.beat(Phase::working);
  std::vector<std::vector<double>> all;
  for (const at::Tensor& tensor : outputs[0])
    all.emplace_back(tensor.data_ptr<double>(), tensor.data_ptr<double>() + count);
  return all;
}

double Control::from_rank_0(double value) { return gather({&value, 1})[0][0]; }

bool Control::any(bool value) {
  const double own = value ? 1 : 0;
  const auto all = gather({&own, 1});
  return std::any_of(all.begin(), all.end(), [](const auto& rank) { return rank[0] != 0; });
}

}  // namespace stash
