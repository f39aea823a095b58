#include "stash/battery/micro_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "stash/battery/thread_windows.h"
#include "stash/input/dataset/synthetic_image.h"
#include "stash/input/sample_maker.h"

namespace stash {
namespace {

constexpr int kSamples = 32;  // of a thread in a window: some 50 ms
constexpr int kImageSize = 224;

// What one thread keeps.
struct Decoder {
  explicit Decoder(const SampleSpec& spec) : maker(make_sample_maker(spec)), out(spec.bytes()) {}

  void run(const std::vector<std::vector<std::uint8_t>>& images) {
    MakeTime ignored;
    for (int i = 0; i < kSamples; ++i) {
      maker->make(images[static_cast<std::size_t>(i) % images.size()], ++seed, out.data(), ignored);
    }
  }

  std::unique_ptr<SampleMaker> maker;
  std::vector<std::uint8_t> out;
  std::uint64_t seed = 0;
};

}  // namespace

std::vector<Figure> measure_decoding(int most_threads) {
  const auto images = sample_images();
  const SampleSpec spec{.kind = InputKind::images, .image_size = kImageSize};
  std::vector<Decoder> decoders;
  for (int i = 0; i < most_threads; ++i) decoders.emplace_back(spec);
  const auto decode = [&](int thread) { decoders[static_cast<std::size_t>(thread)].run(images); };
  std::vector<Figure> figures;
  for (const int threads : thread_counts(most_threads)) {
    std::vector<double> rates;
    for (const double s : time_windows(threads, kFigureWindows, decode)) {
      rates.push_back(kSamples * threads / std::max(s, 1e-9));
    }
    figures.push_back(make_figure("decode", fmt::format("threads={}", threads), "samples_per_s", std::move(rates)));
  }
  return figures;
}

}  // namespace stash
