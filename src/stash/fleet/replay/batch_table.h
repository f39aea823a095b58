#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stash/fleet/market/market.h"

namespace stash {

// The batching rule of `stash serve` (serve/batching/batch_rule.h) for one type of machine, looked up instead of
// computed: T(b), and how many more rows are worth waiting for at a rate, which is rounded to an eighth of a power
// of 2.
class BatchTable {
 public:
  // UsageError where not even a batch of one is in time.
  BatchTable(const MachineType& type, double objective_s, int most_rows, double capacity_per_s);

  int most_rows() const { return most_rows_; }
  double capacity_per_s() const { return capacity_per_s_; }  // of one device
  double time_s(int rows) const { return times_s_[static_cast<std::size_t>(rows)]; }
  int worth_waiting_for(int waiting, double rate_per_s) const {
    return worth_[static_cast<std::size_t>(waiting) * kRates + rate_class(rate_per_s)];
  }

 private:
  static constexpr int kShift = 52 - 3;
  static constexpr double kLeastRate = 0x1p-6, kMostRate = 0x1p20;
  static constexpr std::uint64_t kFirst = std::bit_cast<std::uint64_t>(kLeastRate) >> kShift;
  static constexpr std::size_t kRates = (std::bit_cast<std::uint64_t>(kMostRate) >> kShift) - kFirst + 1;

  static std::size_t rate_class(double rate) {
    const double bounded = rate > kLeastRate ? (rate < kMostRate ? rate : kMostRate) : kLeastRate;
    return (std::bit_cast<std::uint64_t>(bounded) >> kShift) - kFirst;
  }

  int most_rows_;
  double capacity_per_s_;
  std::vector<double> times_s_;
  std::vector<std::uint16_t> worth_;
};

}  // namespace stash
