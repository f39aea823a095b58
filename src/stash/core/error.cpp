#include "stash/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace stash {

namespace {

// Names are short; a longer one is no misspelling, and the distance's cost grows with the product of the lengths.
constexpr std::size_t kLongestName = 64;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

// Up to a third of the letters may be wrong, and always one.
std::size_t tolerated_distance(std::string_view name) { return std::max<std::size_t>(1, name.size() / 3); }

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > kLongestName) return {};
  std::string_view best;
  std::size_t best_distance = tolerated_distance(name) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

void throw_unknown(std::string_view kind, std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest(name, candidates);
  if (!near.empty()) throw UsageError(fmt::format("unknown {} '{}'; did you mean '{}'?", kind, name, near));
  throw UsageError(fmt::format("unknown {} '{}'; known are {}", kind, name, fmt::join(candidates, ", ")));
}

}  // namespace stash
