#pragma once

#include <span>

#include "stash/share/allocate.h"

namespace stash {

// UsageError: the jobs do not fit.
void check_fit(std::span<const SupplyCurve> curves, const Resources& resources);

// As an operating system shares storage among jobs with these workers: everybody gets what they ask for, or, where
// that is too much, those who ask for most get the same.
void share_storage(std::span<const SupplyCurve> curves, const Resources& resources, Allocation& allocation);

}  // namespace stash
