#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "jpeg_writer.h"
#include "stash/core/clock.h"
#include "stash/input/image/image_maker.h"
#include "stash/input/random.h"

namespace stash {
namespace {

using Bytes = std::vector<std::uint8_t>;

void mutate(Bytes& file, Random& random) {
  const auto at = [&] { return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(file.size()))); };
  for (std::int64_t i = 1 + random.below(4); i > 0 && !file.empty(); --i) {
    // The tables and headers are a small part of a file but the more dangerous one.
    const std::size_t place = random.below(2) == 0 ? at() : std::min(at(), at() % 700);
    switch (random.below(5)) {
      case 0:
        file[place] = static_cast<std::uint8_t>(random.next());
        break;
      case 1:
        file[place] ^= static_cast<std::uint8_t>(1 << random.below(8));
        break;
      case 2:
        file.resize(place);
        break;
      case 3:
        file.insert(file.begin() + static_cast<std::ptrdiff_t>(place), static_cast<std::uint8_t>(random.next()));
        break;
      default:
        file.erase(file.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
}

TEST(DecoderFuzz, DamagedFilesAreDecodedOrRefusedAndNothingElse) {
  constexpr int kFiles = 4000;
  constexpr std::int64_t kLimitNs = 5'000'000'000;
  std::vector<Bytes> seeds;
  for (const JpegVariant& variant :
       {JpegVariant{}, JpegVariant{.h_samp = 1, .v_samp = 1}, JpegVariant{.progressive = true},
        JpegVariant{.colors = JpegColors::gray}, JpegVariant{.colors = JpegColors::cmyk, .h_samp = 1, .v_samp = 1},
        JpegVariant{.restart_rows = 1}, JpegVariant{.h_samp = 4, .v_samp = 1}}) {
    seeds.push_back(write_jpeg(test_picture(97, 65), 97, 65, variant));
  }
  constexpr int kSize = 32;
  ImageMaker maker(kSize);
  std::vector<float> out(3 * kSize * kSize);
  Random random(20);
  int decoded = 0, refused = 0;
  const std::int64_t end_ns = now_ns() + kLimitNs;
  for (int i = 0; i < kFiles && now_ns() < end_ns; ++i) {
    Bytes file = seeds[static_cast<std::size_t>(i) % seeds.size()];
    mutate(file, random);
    MakeTime time;
    try {
      maker.make(file, random.next(), out.data(), time);
      ++decoded;
      ASSERT_TRUE(std::all_of(out.begin(), out.end(), [](float v) { return v > -3 && v < 3; })) << i;
    } catch (const BrokenSample&) {
      ++refused;
    }
  }
  EXPECT_GT(decoded, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace stash
