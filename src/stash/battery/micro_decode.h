#pragma once

#include <vector>

#include "stash/battery/figure.h"

namespace stash {

// "decode", samples_per_s of all threads together, for 1, 2, 4, ... `most_threads` threads: JPEG files of 500x375
// pixels and 110 kB, in memory, to 224x224, as a training job prepares them.
std::vector<Figure> measure_decoding(int most_threads);

}  // namespace stash
