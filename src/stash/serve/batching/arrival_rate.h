#pragma once

#include <cstdint>

namespace stash {

// How much arrives per second, as of late: what came longer ago than a second hardly counts.
class ArrivalRate {
 public:
  void add(std::int64_t now_ns, int rows);
  double per_s(std::int64_t now_ns) const;

 private:
  double decayed(std::int64_t now_ns) const;

  double weight_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace stash
