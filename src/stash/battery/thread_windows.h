#pragma once

#include <functional>
#include <vector>

namespace stash {

// 1, 2, 4, ... and `most` itself.
std::vector<int> thread_counts(int most);

// The wall seconds of `windows` windows, in each of which every one of `threads` threads does `work(thread)` once, all
// beginning together. A first window for warming up is not among them. `work` must not throw.
std::vector<double> time_windows(int threads, int windows, const std::function<void(int thread)>& work);

}  // namespace stash
