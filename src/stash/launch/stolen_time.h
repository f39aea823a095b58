#pragma once

#include <cstdint>
#include <optional>

namespace stash {

// How much of this machine's CPU time its hypervisor gave to others since this object was made.
class StolenTime {
 public:
  StolenTime();
  std::optional<double> ratio() const;  // of all cores' time; nullopt where the kernel does not say

 private:
  struct Ticks {
    std::int64_t all = 0;
    std::int64_t stolen = 0;
  };
  static std::optional<Ticks> read();

  std::optional<Ticks> start_;
};

}  // namespace stash
