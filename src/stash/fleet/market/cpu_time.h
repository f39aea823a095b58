#pragma once

#include "stash/models/graph.h"

namespace stash {

// The time of one forward pass in fp32 on cores of a server of about 2018 (AVX-512), as MArk's capacities of
// Inception-v3 and NASNet on one to eight cores of c5 have it: a part that cores share, and a part that they do not.
// A batch takes as long as its samples one after another. It may be off by a factor of two either way.
double cpu_forward_s(double forward_ops, double cores);
inline constexpr double kCpuSpreadRatio = 1.0;

}  // namespace stash
