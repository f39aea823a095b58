#pragma once

#include <vector>

namespace stash {

struct BatchTime {
  int batch = 1;
  double s = 0;
};

// T(b): what a device takes for a batch of b samples, known for some b and in a straight line between them. Beyond the
// last one it continues as between the last two.
class BatchTimes {
 public:
  explicit BatchTimes(std::vector<BatchTime> rows);  // ascending, from 1 on; Error where they are not

  double at(int batch) const;
  // The largest batch up to `most` with T(b) of `s` or less; 0: not even one sample.
  int largest_within(double s, int most) const;
  const std::vector<BatchTime>& rows() const { return rows_; }

 private:
  std::vector<BatchTime> rows_;
};

}  // namespace stash
