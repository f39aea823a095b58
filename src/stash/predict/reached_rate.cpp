#include "stash/predict/reached_rate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "stash/core/units.h"

namespace stash {
namespace {

constexpr double kNormal95 = 1.96;  // standard deviations on either side of a 95 % interval

}  // namespace

std::string_view to_string(RateEvidence evidence) {
  constexpr std::array<std::string_view, 5> kNames{"measured", "given", "published", "fitted", "data sheet"};
  return kNames[static_cast<std::size_t>(evidence)];
}

double ReachedRate::uncertainty_ratio() const { return std::exp(kNormal95 * spread); }

std::string sentence_of(const ReachedRate& rate) {
  return fmt::format("{}: {}/s, {} ({})", rate.what, format_bytes(rate.bytes_per_s), to_string(rate.evidence),
                     rate.source);
}

}  // namespace stash
