#include "stash/fleet/replay/batch_table.h"

#include "stash/serve/batching/batch_rule.h"

namespace stash {

BatchTable::BatchTable(const MachineType& type, double objective_s, int most_rows, double capacity_per_s)
    : most_rows_(rows_within(type.times, objective_s, most_rows)), capacity_per_s_(capacity_per_s) {
  times_s_.push_back(0);
  for (int rows = 1; rows <= most_rows_; ++rows) times_s_.push_back(type.times.at(rows));
  worth_.resize(static_cast<std::size_t>(most_rows_ + 1) * kRates);
  for (int waiting = 1; waiting < most_rows_; ++waiting) {
    for (std::size_t i = 0; i < kRates; ++i) {
      // The middle of the class.
      const double rate = std::bit_cast<double>(((kFirst + i) << kShift) + (std::uint64_t{1} << (kShift - 1)));
      worth_[static_cast<std::size_t>(waiting) * kRates + i] =
          static_cast<std::uint16_t>(rows_worth_waiting_for(type.times, waiting, most_rows_, rate));
    }
  }
}

}  // namespace stash
