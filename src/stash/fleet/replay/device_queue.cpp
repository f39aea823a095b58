#include "stash/fleet/replay/device_queue.h"

#include <algorithm>

namespace stash {
namespace {

constexpr double kWorkWeight = 0.1;  // of the newest batch

}  // namespace

// As dispatch_ns in serve/batching/batch_rule.cpp, with the rate as of the last arrival.
double DeviceQueue::due_after(double free_s) const {
  const auto rows = static_cast<int>(waiting_);
  const double oldest_s = at(in_batch_).at_s;
  const double since_s = std::max(free_s, oldest_s);
  if (rows >= table_->most_rows()) return since_s;
  const double rate = fading_ / kFade_s;
  const int more = table_->worth_waiting_for(rows, rate);
  if (more == 0) return since_s;
  const double left_s = std::max(0.0, objective_s_ - expected_s(rows) - kAnswer_s);
  return std::max(since_s, std::min(since_s + more / rate, oldest_s + left_s));
}

// As ModelQueue::take_batch in serve/batching/model_queue.cpp.
void DeviceQueue::begin() {
  while (waiting_ > 0 && due_s_ + expected_s(1) > at(0).at_s + objective_s_) {
    ++head_;
    --waiting_;
    ++log_->refused;
  }
  if (waiting_ == 0) return;
  std::size_t rows = std::min(waiting_, static_cast<std::size_t>(table_->most_rows()));
  const double left_s = at(0).at_s + objective_s_ - due_s_;
  while (rows > 1 && expected_s(static_cast<int>(rows)) > left_s) --rows;
  double work = 0;
  for (std::size_t i = 0; i < rows; ++i) work += at(i).work;
  const double ratio = work / static_cast<double>(rows);
  const double takes_s = table_->time_s(static_cast<int>(rows)) * ratio;
  mean_work_ += kWorkWeight * (ratio - mean_work_);
  work_deviation_ += kWorkWeight * (std::abs(ratio - mean_work_) - work_deviation_);
  work_ratio_ = mean_work_ + work_deviation_;
  in_batch_ = rows;
  waiting_ -= rows;
  end_s_ = due_s_ + takes_s;
  log_->busy_s += takes_s;
}

void DeviceQueue::grow() {
  std::vector<Waiting> larger(2 * ring_.size());
  for (std::size_t i = 0; i < inside(); ++i) larger[i] = at(i);
  ring_ = std::move(larger);
  head_ = 0;
}

}  // namespace stash
