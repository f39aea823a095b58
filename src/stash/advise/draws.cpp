#include "stash/advise/draws.h"

#include <string_view>
#include <utility>

#include "stash/core/statistics.h"
#include "stash/input/random.h"

namespace stash {

namespace {

// Names, not places, so that a machine more or less leaves the draws of the others alone (FNV-1a).
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace

NamedDraws::NamedDraws(std::uint64_t seed) : seed_(mix(seed)) {
  static_assert(kDraws % 2 == 0);
  for (std::size_t i = 0; i < kDraws / 2; ++i) {
    const auto z = static_cast<float>(normal_quantile((static_cast<double>(i) + 0.5) / kDraws));
    quantiles_[i] = z;
    quantiles_[kDraws - 1 - i] = -z;
  }
}

const Draws& NamedDraws::of(const std::string& name) {
  const auto [place, is_new] = draws_.try_emplace(name);
  Draws& draws = place->second;
  if (!is_new) return draws;
  draws = quantiles_;
  Random random(seed_ ^ hash_of(name));
  for (std::size_t i = kDraws - 1; i > 0; --i) {
    std::swap(draws[i], draws[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
  }
  return draws;
}

}  // namespace stash
