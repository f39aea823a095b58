#pragma once

#include <vector>

namespace stash {

// Values to places across a picture, in percent of its width or height.
class Scale {
 public:
  // From `low` to `high`; a little room is added where they are the same.
  static Scale linear(double low, double high);
  // Both above 0.
  static Scale logarithmic(double low, double high);

  double percent(double value) const;  // within 0 and 100
  // Round values, about `count` of them; on a logarithmic scale powers of ten, with 2 and 5 between where few fit.
  std::vector<double> ticks(int count) const;

 private:
  Scale(double low, double high, bool is_log) : low_(low), high_(high), is_log_(is_log) {}
  std::vector<double> decades(int count) const;

  double low_, high_;  // on a logarithmic scale their logarithms
  bool is_log_;
};

}  // namespace stash
