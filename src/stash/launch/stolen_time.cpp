#include "stash/launch/stolen_time.h"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace stash {

StolenTime::StolenTime() : start_(read()) {}

// The first line of /proc/stat: cpu user nice system idle iowait irq softirq steal ...
std::optional<StolenTime::Ticks> StolenTime::read() {
  std::FILE* const file = std::fopen("/proc/stat", "re");
  if (file == nullptr) return std::nullopt;
  std::array<std::int64_t, 8> ticks{};
  const int found = std::fscanf(
      file, "cpu %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64,
      &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
  std::fclose(file);
  if (found != static_cast<int>(ticks.size())) return std::nullopt;
  Ticks sum{.all = 0, .stolen = ticks.back()};
  for (const std::int64_t tick : ticks) sum.all += tick;
  return sum;
}

std::optional<double> StolenTime::ratio() const {
  const std::optional<Ticks> now = read();
  if (!start_ || !now || now->all <= start_->all) return std::nullopt;
  return static_cast<double>(now->stolen - start_->stolen) / static_cast<double>(now->all - start_->all);
}

}  // namespace stash
