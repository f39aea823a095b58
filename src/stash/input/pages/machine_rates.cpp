#include "stash/input/pages/machine_rates.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/cpu_clock.h"
#include "stash/core/statistics.h"
#include "stash/input/dataset/synthetic_image.h"
#include "stash/input/pages/page_cache.h"
#include "stash/input/pages/scratch_file.h"
#include "stash/input/pages/timed_read.h"
#include "stash/input/sample_maker.h"

namespace stash {
namespace {

constexpr int kWindows = 10;  // enough for an interval
constexpr int kImageSize = 224;
constexpr int kDecodeWindowSamples = 64;     // a tenth of a second
constexpr std::size_t kReadBytes = 1 << 20;  // what readers of large files ask for

MeasuredRate summarize(const std::vector<double>& rates) {
  const double centre = mean(rates);
  const int degrees = static_cast<int>(rates.size()) - 1;
  const double half =
      student_t_quantile_975(degrees) * std::sqrt(sample_variance(rates) / static_cast<double>(rates.size()));
  return {centre, std::max(centre - half, 0.0), centre + half};
}

}  // namespace

MeasuredRate measure_decode_rate() {
  const auto images = sample_images();
  const SampleSpec spec{.kind = InputKind::images, .image_size = kImageSize};
  const auto maker = make_sample_maker(spec);
  std::vector<std::uint8_t> out(spec.bytes());
  MakeTime ignored;
  std::uint64_t seed = 0;
  const auto window_s = [&] {
    const double start_s = seconds(thread_cpu_ns());
    for (int i = 0; i < kDecodeWindowSamples; ++i) {
      maker->make(images[static_cast<std::size_t>(i) % images.size()], ++seed, out.data(), ignored);
    }
    return seconds(thread_cpu_ns()) - start_s;
  };
  window_s();  // buffers and caches
  std::vector<double> rates;
  for (int i = 0; i < kWindows; ++i) rates.push_back(kDecodeWindowSamples / window_s());
  return summarize(rates);
}

std::optional<MeasuredRate> measure_storage_rate(const std::filesystem::path& folder, std::int64_t bytes) {
  const ScratchFile file(folder, bytes);
  std::vector<std::uint8_t> buffer(kReadBytes);
  std::vector<double> rates;
  for (int i = 0; i < kWindows; ++i) {
    const PageRange range{file.fd(), bytes / kWindows * i, bytes / kWindows};
    evict_pages(range);
    if (!is_evicted(range)) return std::nullopt;
    rates.push_back(static_cast<double>(range.bytes) / timed_read_s(range, buffer));
  }
  return summarize(rates);
}

}  // namespace stash
