#include "stash/battery/micro_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/battery/thread_windows.h"

namespace stash {
namespace {

constexpr double kScalar = 3;

struct Triad {
  explicit Triad(std::size_t elements) : a(elements, 0), b(elements, 1), c(elements, 2) {}

  // The part of one of `threads` threads.
  void run(int thread, int threads) {
    const std::size_t begin = a.size() * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads);
    const std::size_t end = a.size() * static_cast<std::size_t>(thread + 1) / static_cast<std::size_t>(threads);
    double* const out = a.data();
    const double* const left = b.data();
    const double* const right = c.data();
    for (std::size_t i = begin; i < end; ++i) out[i] = left[i] + kScalar * right[i];
  }

  std::vector<double> a, b, c;
};

}  // namespace

std::vector<Figure> measure_memory(int most_threads, std::int64_t array_bytes) {
  Triad triad(static_cast<std::size_t>(array_bytes) / (3 * sizeof(double)));
  const double moved_bytes = static_cast<double>(3 * sizeof(double) * triad.a.size());
  std::vector<Figure> figures;
  for (const int threads : thread_counts(most_threads)) {
    std::vector<double> rates;
    for (const double s : time_windows(threads, kFigureWindows, [&](int thread) { triad.run(thread, threads); })) {
      rates.push_back(moved_bytes / std::max(s, 1e-9));
    }
    figures.push_back(make_figure("memory_triad", fmt::format("threads={}", threads), "bytes_per_s", std::move(rates)));
  }
  return figures;
}

}  // namespace stash
