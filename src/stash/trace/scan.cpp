#include "stash/trace/scan.h"

#include <charconv>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>

#include <bit>
#endif

namespace stash::scan {
namespace {

constexpr int kDecimals = 3;                                  // nanoseconds of a microsecond
constexpr int kMostDigits = 18;                               // fit 63 bits
constexpr std::int64_t kFarthest_us = 4'000'000'000'000'000;  // since 1970: the year 2096; a sum of two fits 63 bits

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

bool is_word(char c) {
  return is_digit(c) || c == '-' || c == '+' || c == '.' || (static_cast<unsigned char>((c | 0x20) - 'a') < 26);
}

// Exponents, and more digits than a time needs.
std::optional<std::int64_t> read_unusual_ns(const char* from, const char* to) {
  double us = 0;
  const auto [stopped, error] = std::from_chars(from, to, us);
  if (error != std::errc() || stopped != to || !(std::fabs(us) <= static_cast<double>(kFarthest_us))) {
    return std::nullopt;
  }
  return std::llround(us * 1e3);
}

// Up to kMostDigits digits.
std::int64_t read_digits(const char*& at) {
  const char* const from = at;
  std::int64_t value = 0;
  for (; is_digit(*at) && at - from < kMostDigits; ++at) value = value * 10 + (*at - '0');
  return value;
}

// Behind the point; what is finer than a nanosecond is dropped.
std::int64_t read_decimals_ns(const char*& at) {
  std::int64_t value = 0;
  int decimals = 0;
  for (; is_digit(*at) && decimals < kDecimals; ++at, ++decimals) value = value * 10 + (*at - '0');
  while (is_digit(*at)) ++at;
  for (; decimals < kDecimals; ++decimals) value *= 10;
  return value;
}

}  // namespace

const char* find_quote(const char* at, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  while (at < end) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (mask == 0) {
      at += sizeof bytes;
      continue;
    }
    at += std::countr_zero(mask);
    if (*at == '"') return at < end ? at : nullptr;
    at += 2;  // a backslash and what it escapes
  }
#else
  for (; at < end; ++at) {
    if (*at == '"') return at;
    if (*at == '\\') ++at;
  }
#endif
  return nullptr;
}

std::optional<std::int64_t> read_integer(const char*& at) {
  const char* const from = at;
  const bool negative = *at == '-';
  if (negative) ++at;
  const char* const digits = at;
  const std::int64_t value = read_digits(at);
  if (at != digits && !is_word(*at)) return negative ? -value : value;
  at = skip_word(from);
  return std::nullopt;
}

std::optional<std::int64_t> read_us_as_ns(const char*& at) {
  const char* const from = at;
  const bool negative = *at == '-';
  if (negative) ++at;
  const char* const digits = at;
  const std::int64_t us = read_digits(at);
  const bool starts_well = at != digits && us <= kFarthest_us;
  std::int64_t ns = 0;
  if (*at == '.') ns = read_decimals_ns(++at);
  if (starts_well && !is_word(*at)) return (us * 1000 + ns) * (negative ? -1 : 1);
  at = skip_word(from);
  return read_unusual_ns(from, at);
}

const char* skip_word(const char* at) {
  while (is_word(*at)) ++at;
  return at;
}

}  // namespace stash::scan
