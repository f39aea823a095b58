#include "stash/measure/group_control.h"

#include <algorithm>

namespace stash {

void GroupControl::meet_ahead() {
  meet();
  ++ahead_;
}

void GroupControl::barrier() {
  if (ahead_ == 0) return meet();
  --ahead_;
}

void GroupControl::meet() {
  if (!backend_) return;
  state_.beat(Phase::waiting);
  if (page_ != nullptr) {
    page_->meet();
  } else {
    backend_->barrier()->wait();
  }
  state_.beat(Phase::working);
}

std::vector<std::vector<double>> GroupControl::gather(std::span<const double> values) {
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

void GroupControl::send(int rank, double value) {
  std::vector<at::Tensor> tensors{at::full({1}, value, at::kDouble)};
  backend_->send(tensors, rank, /*tag=*/0)->wait();
}

double GroupControl::receive(int rank) {
  std::vector<at::Tensor> tensors{at::empty({1}, at::kDouble)};
  state_.beat(Phase::waiting);
  backend_->recv(tensors, rank, /*tag=*/0)->wait();
  return tensors[0].data_ptr<double>()[0];
}

std::vector<std::string> GroupControl::gather_text(std::string_view text) {
  if (!backend_) return {std::string(text)};
  const double own_length = static_cast<double>(text.size());
  double longest = 1;
  std::vector<std::size_t> lengths;
  for (const auto& length : gather({&own_length, 1})) {
    lengths.push_back(static_cast<std::size_t>(length[0]));
    longest = std::max(longest, length[0]);
  }
  const auto room = static_cast<int64_t>(longest);
  at::Tensor own = at::zeros({room}, at::kByte);
  std::copy(text.begin(), text.end(), own.data_ptr<std::uint8_t>());
  std::vector<at::Tensor> inputs{own};
  std::vector<std::vector<at::Tensor>> outputs;
  if (rank() == 0) outputs.resize(1);
  for (int i = 0; i < size() && rank() == 0; ++i) outputs[0].push_back(at::empty({room}, at::kByte));
  state_.beat(Phase::waiting);
  backend_->gather(outputs, inputs)->wait();
  state_.beat(Phase::working);
  std::vector<std::string> all;
  for (std::size_t i = 0; rank() == 0 && i < lengths.size(); ++i) {
    all.emplace_back(reinterpret_cast<const char*>(outputs[0][i].data_ptr<std::uint8_t>()), lengths[i]);
  }
  return all;
}

}  // namespace stash
