#pragma once

#include <span>
#include <vector>

#include "stash/battery/compare.h"
#include "stash/catalog/instance.h"

namespace stash {

// The machine's links beside what its instance has in the catalogue; where none was named, beside what a machine with
// as many of the same GPUs and cores has; where there is none, the GPU links beside the fastest that the catalogue
// knows between GPUs of the same kind. Empty where either side is unknown.
std::vector<LinkComparison> compare_links(const BatterySummary& summary, std::span<const Instance> catalogue);

}  // namespace stash
