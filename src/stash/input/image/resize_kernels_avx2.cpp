#include <algorithm>

#include "stash/input/image/resize_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Compiled for every x86-64 processor; only these functions use AVX2, and they run only where it is there.
#define STASH_AVX2 [[gnu::target("avx2,fma")]]

namespace stash {

namespace {

STASH_AVX2 inline __m128i low_half(__m256i v) { return _mm256_castsi256_si128(v); }

// Eight rows of eight 16-bit numbers in each half, both halves at once.
STASH_AVX2 inline void transpose_halves(__m256i* v) {
  __m256i a[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = _mm256_unpacklo_epi16(v[2 * i], v[2 * i + 1]);
    a[2 * i + 1] = _mm256_unpackhi_epi16(v[2 * i], v[2 * i + 1]);
  }
  __m256i b[8];
  for (int i = 0; i < 2; ++i) {
    b[4 * i] = _mm256_unpacklo_epi32(a[4 * i], a[4 * i + 2]);
    b[4 * i + 1] = _mm256_unpackhi_epi32(a[4 * i], a[4 * i + 2]);
    b[4 * i + 2] = _mm256_unpacklo_epi32(a[4 * i + 1], a[4 * i + 3]);
    b[4 * i + 3] = _mm256_unpackhi_epi32(a[4 * i + 1], a[4 * i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = _mm256_unpacklo_epi64(b[i], b[i + 4]);
    v[2 * i + 1] = _mm256_unpackhi_epi64(b[i], b[i + 4]);
  }
}

// A block of 16 x 16; `in` and `out` are numbers between two rows.
STASH_AVX2 inline void transpose(const std::int16_t* from, std::int64_t in, std::int16_t* to, std::int64_t out) {
  for (int half = 0; half < 2; ++half) {
    // Columns 8 * half to 8 * half + 7 of rows 0 to 7 in the lower and of rows 8 to 15 in the upper half.
    __m256i v[8];
    for (int i = 0; i < 8; ++i) {
      const auto* const upper = reinterpret_cast<const __m128i*>(from + (i + 8) * in + 8 * half);
      const auto* const lower = reinterpret_cast<const __m128i*>(from + i * in + 8 * half);
      v[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(lower)), _mm_loadu_si128(upper), 1);
    }
    transpose_halves(v);
    for (int i = 0; i < 8; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + (8 * half + i) * out), v[i]);
  }
}

STASH_AVX2 inline __m256i blend_samples(const std::uint8_t* samples, std::int64_t stride,
                                        const AxisWeights::Taps& taps) {
  __m256i sum = _mm256_setzero_si256();
  for (int k = 0; k < taps.count; ++k, samples += stride) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(samples));
    const __m256i wide = _mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), kFractionBits);
    sum = _mm256_add_epi16(sum, _mm256_mulhrs_epi16(wide, _mm256_set1_epi16(taps.weights[k])));
  }
  return sum;
}

STASH_AVX2 inline __m256i blend_columns(const std::int16_t* columns, const AxisWeights::Taps& taps) {
  __m256i sum = _mm256_setzero_si256();
  for (int k = 0; k < taps.count; ++k) {
    const __m256i column = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns + (taps.first + k) * kStrip));
    sum = _mm256_add_epi16(sum, _mm256_mulhrs_epi16(column, _mm256_set1_epi16(taps.weights[k])));
  }
  return sum;
}

// Vertically first, as rows are easy to blend; then the strip is turned, so that columns are as easy.
STASH_AVX2 void resize_strip(const StripArguments& a) {
  AxisWeights::Taps rows[kStrip];
  const std::uint8_t* first[kStrip];
  for (int r = 0; r < kStrip; ++r) {
    rows[r] = a.vertical->at(std::min(a.row + r, a.vertical->outputs() - 1));
    first[r] = a.plane->data + rows[r].first * a.plane->stride;
  }
  alignas(32) std::int16_t block[kStrip * kStrip];
  for (int x = 0; x < a.plane->width; x += kStrip) {
    for (int r = 0; r < kStrip; ++r) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(block + r * kStrip),
                         blend_samples(first[r] + x, a.plane->stride, rows[r]));
    }
    transpose(block, kStrip, a.columns + x * kStrip, kStrip);
  }
  const int outputs = a.horizontal->outputs();
  for (int x = 0; x < outputs; x += kStrip) {
    for (int i = 0; i < kStrip; ++i) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(block + i * kStrip),
                         blend_columns(a.columns, a.horizontal->at(std::min(x + i, outputs - 1))));
    }
    transpose(block, kStrip, a.out + x, padded(outputs));
  }
}

STASH_AVX2 inline __m256 load(const std::int16_t* from) {
  const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(narrow));
}

// Values stay in fixed point's scale; `scale` takes them out of it.
STASH_AVX2 inline void store(float* to, __m256 value, float scale, float offset) {
  const __m256 limit = _mm256_set1_ps(255 << kFractionBits);
  const __m256 inside = _mm256_min_ps(limit, _mm256_max_ps(_mm256_setzero_ps(), value));
  _mm256_storeu_ps(to, _mm256_fmadd_ps(inside, _mm256_set1_ps(scale / (1 << kFractionBits)), _mm256_set1_ps(offset)));
}

constexpr int kFloats = 8;

STASH_AVX2 void convert_ycc(const ColorArguments& a) {
  const __m256 half = _mm256_set1_ps(128 << kFractionBits);
  int i = 0;
  for (; i + kFloats <= a.count; i += kFloats) {
    const __m256 y = load(a.y + i);
    const __m256 cb = _mm256_sub_ps(load(a.cb + i), half);
    const __m256 cr = _mm256_sub_ps(load(a.cr + i), half);
    store(a.out[0] + i, _mm256_fmadd_ps(cr, _mm256_set1_ps(kRedOfCr), y), a.scale[0], a.offset[0]);
    const __m256 green = _mm256_fnmadd_ps(cb, _mm256_set1_ps(kGreenOfCb), y);
    store(a.out[1] + i, _mm256_fnmadd_ps(cr, _mm256_set1_ps(kGreenOfCr), green), a.scale[1], a.offset[1]);
    store(a.out[2] + i, _mm256_fmadd_ps(cb, _mm256_set1_ps(kBlueOfCb), y), a.scale[2], a.offset[2]);
  }
  ColorArguments rest = a;
  rest.y += i, rest.cb += i, rest.cr += i, rest.count -= i;
  for (float*& out : rest.out) out += i;
  portable_kernels().convert_ycc(rest);
}

}  // namespace

const ResizeKernels* avx2_kernels() {
  static const ResizeKernels kernels{"avx2", resize_strip, convert_ycc, portable_kernels().convert_rgb};
  static const bool usable = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return usable ? &kernels : nullptr;
}

}  // namespace stash

#else

namespace stash {

const ResizeKernels* avx2_kernels() { return nullptr; }

}  // namespace stash

#endif
