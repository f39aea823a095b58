#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace stash {

// A share of 90 % is then known to about one point, within the time that advice may take.
inline constexpr std::size_t kDraws = 512;
using Draws = std::array<float, kDraws>;

// Standard normal draws by name, made when first asked for and the same on every machine. Each name has the same kDraws
// evenly spread quantiles, in an order of its own (a Latin hypercube), so that shares come out closer than by chance.
class NamedDraws {
 public:
  explicit NamedDraws(std::uint64_t seed);
  const Draws& of(const std::string& name);

 private:
  std::uint64_t seed_;
  Draws quantiles_;
  std::unordered_map<std::string, Draws> draws_;
};

}  // namespace stash
