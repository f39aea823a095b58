#pragma once

#include <span>
#include <vector>

namespace stash {

// The time of a sample on a worker, as it was seen with a number of workers.
struct CostPoint {
  int workers = 1;
  double sample_s = 0;
  double deviation_ratio = 0;  // of sample_s
};

// How that time grows with the workers: as a power of them, or not at all up to a number of them and then in
// proportion, as where storage gives no more.
struct CostShape {
  double bend = 0;
  double enough = 0;                       // workers; 0: a power
  double log_ratio(double workers) const;  // to one worker
};

// The time of a sample on a worker by the number of workers: the likeliest shape, and near what was seen, that itself.
class WorkerCost {
 public:
  WorkerCost() = default;
  explicit WorkerCost(std::span<const CostPoint> seen);  // at least one

  bool is_known() const { return !seen_.empty(); }
  double sample_s(int workers) const;

 private:
  struct Residual {
    int workers = 1;
    double log_ratio = 0;  // of what was seen to the shape
  };
  CostShape shape_;
  double log_one_s_ = 0;  // with one worker
  std::vector<Residual> seen_;
};

}  // namespace stash
