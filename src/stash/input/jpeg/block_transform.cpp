#include "stash/input/jpeg/block_transform.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stash {

namespace {

// Of Arai, Agui and Nakajima, who moved most multiplications of the transform into the quantisation.
constexpr std::array<double, 8> kScale{1.0, 1.387039845, 1.306562965, 1.175875602,
                                       1.0, 0.785694958, 0.541196100, 0.275899379};

constexpr std::array<std::uint8_t, 128> make_places() {
  std::array<std::uint8_t, 128> places{};
  places.fill(kNowhere);
  int x = 0, y = 0;
  for (std::size_t k = 0; k < 64; ++k) {
    places[k] = static_cast<std::uint8_t>(8 * x + y);
    const bool up = (x + y) % 2 == 0;
    if (up ? x == 7 : y == 7) {
      (up ? y : x) += 1;
    } else if (up ? y == 0 : x == 0) {
      (up ? x : y) += 1;
    } else {
      x += up ? 1 : -1;
      y += up ? -1 : 1;
    }
  }
  return places;
}

}  // namespace

const std::array<std::uint8_t, 128> kPlaceOfCoefficient = make_places();

BlockScale BlockScale::of(const std::uint16_t* quantisation) {
  BlockScale scale;
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 8; ++x) {
      scale.factor[8 * x + y] = static_cast<float>(quantisation[8 * y + x] * kScale[x] * kScale[y] / 8);
    }
  }
  return scale;
}

#if defined(__x86_64__)

namespace {

#define STASH_AVX2 [[gnu::target("avx2,fma")]]

STASH_AVX2 inline __m256 times(__m256 a, float b) { return _mm256_mul_ps(a, _mm256_set1_ps(b)); }
STASH_AVX2 inline __m256 plus(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
STASH_AVX2 inline __m256 minus(__m256 a, __m256 b) { return _mm256_sub_ps(a, b); }

// One dimension, of eight rows or columns at once.
STASH_AVX2 inline void transform_lanes(__m256* v) {
  constexpr float kSqrt2 = 1.414213562F;
  const __m256 even_sum = plus(v[0], v[4]), even_difference = minus(v[0], v[4]);
  const __m256 outer_sum = plus(v[2], v[6]);
  const __m256 outer_difference = minus(times(minus(v[2], v[6]), kSqrt2), outer_sum);
  const __m256 e0 = plus(even_sum, outer_sum), e3 = minus(even_sum, outer_sum);
  const __m256 e1 = plus(even_difference, outer_difference), e2 = minus(even_difference, outer_difference);

  const __m256 z13 = plus(v[5], v[3]), z10 = minus(v[5], v[3]);
  const __m256 z11 = plus(v[1], v[7]), z12 = minus(v[1], v[7]);
  const __m256 z5 = times(plus(z10, z12), 1.847759065F);
  const __m256 o7 = plus(z11, z13);
  const __m256 o6 = minus(minus(z5, times(z10, 2.613125930F)), o7);
  const __m256 o5 = minus(times(minus(z11, z13), kSqrt2), o6);
  const __m256 o4 = minus(minus(z5, times(z12, 1.082392200F)), o5);

  v[0] = plus(e0, o7), v[7] = minus(e0, o7);
  v[1] = plus(e1, o6), v[6] = minus(e1, o6);
  v[2] = plus(e2, o5), v[5] = minus(e2, o5);
  v[3] = plus(e3, o4), v[4] = minus(e3, o4);
}

STASH_AVX2 inline void transpose(__m256* v) {
  __m256 a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = _mm256_unpacklo_ps(v[2 * i], v[2 * i + 1]);
    a[2 * i + 1] = _mm256_unpackhi_ps(v[2 * i], v[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    b[4 * i] = _mm256_shuffle_ps(a[4 * i], a[4 * i + 2], 0x44);
    b[4 * i + 1] = _mm256_shuffle_ps(a[4 * i], a[4 * i + 2], 0xee);
    b[4 * i + 2] = _mm256_shuffle_ps(a[4 * i + 1], a[4 * i + 3], 0x44);
    b[4 * i + 3] = _mm256_shuffle_ps(a[4 * i + 1], a[4 * i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
    v[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
  }
}

// Four rows to bytes.
STASH_AVX2 inline void store_rows(const __m256* v, std::uint8_t* out, std::int64_t stride) {
  const __m256i first = _mm256_packs_epi32(_mm256_cvtps_epi32(v[0]), _mm256_cvtps_epi32(v[1]));
  const __m256i second = _mm256_packs_epi32(_mm256_cvtps_epi32(v[2]), _mm256_cvtps_epi32(v[3]));
  // Packing works in halves, so that the left four samples of all rows are in the lower half.
  const __m256i bytes =
      _mm256_permutevar8x32_epi32(_mm256_packus_epi16(first, second), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  const __m128i upper = _mm256_extracti128_si256(bytes, 1), lower = _mm256_castsi256_si128(bytes);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), lower);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out + stride), _mm_srli_si128(lower, 8));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 2 * stride), upper);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 3 * stride), _mm_srli_si128(upper, 8));
}

STASH_AVX2 void transform_block(const std::int16_t* coefficients, const BlockScale& scale, std::uint8_t* out,
                                std::int64_t stride) {
  __m256 v[8];
  for (int i = 0; i < 8; ++i) {
    const __m128i narrow = _mm_load_si128(reinterpret_cast<const __m128i*>(coefficients + 8 * i));
    v[i] =
        _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(narrow)), _mm256_load_ps(scale.factor.data() + 8 * i));
  }
  // Samples are stored with 128 subtracted; the first coefficient is their mean.
  v[0] = plus(v[0], _mm256_setr_ps(128, 0, 0, 0, 0, 0, 0, 0));
  transform_lanes(v);
  transpose(v);
  transform_lanes(v);
  store_rows(v, out, stride);
  store_rows(v + 4, out + 4 * stride, stride);
}

#undef STASH_AVX2

}  // namespace

TransformBlock avx2_transform() {
  static const bool usable =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  return usable ? transform_block : nullptr;
}

#else

TransformBlock avx2_transform() { return nullptr; }

#endif

}  // namespace stash
