#pragma once

#include <array>
#include <span>
#include <string_view>

#include "stash/share/allocate.h"

namespace stash {

// How cores are given to the jobs of a moment. even: equally many; demand: in proportion to the workers with which a
// job reaches its ceiling; a_dloader: one worker at a time to the job that gains most by a prediction that is linear in
// the workers up to the ceiling; optimum: allocate().
enum class Policy { even, demand, a_dloader, optimum };
std::string_view to_string(Policy policy);
constexpr std::array<Policy, 4> every(Policy) {
  return {Policy::even, Policy::demand, Policy::a_dloader, Policy::optimum};
}

Allocation allocate_by(Policy policy, std::span<const SupplyCurve> curves, const Resources& resources);

}  // namespace stash
