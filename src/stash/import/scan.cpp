#include "stash/import/scan.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace stash::scan {
namespace {

constexpr unsigned kDecimals = 3;                             // nanoseconds of a microsecond
constexpr std::int64_t kFarthest_us = 4'000'000'000'000'000;  // since 1970: the year 2096; a sum of two fits 63 bits

// What may stand in a number or a word such as NaN.
constexpr std::array<bool, 256> make_word_table() {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("0123456789+-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}
constexpr std::array<bool, 256> kWordTable = make_word_table();

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

bool is_word(char c) { return kWordTable[static_cast<unsigned char>(c)]; }

// Exponents, and more digits than a time needs.
std::optional<std::int64_t> read_unusual_ns(const char* from, const char* to) {
  double us = 0;
  const auto [stopped, error] = std::from_chars(from, to, us);
  if (error != std::errc() || stopped != to || !(std::fabs(us) <= static_cast<double>(kFarthest_us))) {
    return std::nullopt;
  }
  return std::llround(us * 1e3);
}

constexpr unsigned kWord = 8;
constexpr std::array<std::int64_t, kWord + 1> kPowers{1,       10,        100,        1000,       10'000,
                                                      100'000, 1'000'000, 10'000'000, 100'000'000};

// The digits at the front of eight characters, and how many there are.
struct Digits {
  std::int64_t value = 0;
  unsigned count = 0;
};

// Without a branch for each digit: neighbours are joined to numbers of 2, 4, 8 digits. Needs the first in the lowest
// byte.
Digits read_word(const char* at) {
  std::uint64_t text = 0;
  std::memcpy(&text, at, sizeof text);
  const std::uint64_t digits = text ^ 0x3030303030303030U;
  const std::uint64_t others = (digits | (digits + 0x7676767676767676U)) & 0x8080808080808080U;
  const unsigned count = static_cast<unsigned>(std::countr_zero(others)) / 8;
  if (count == 0) return {};
  const std::uint64_t aligned = digits << (8 * (kWord - count));  // zeros in front
  const std::uint64_t pairs = aligned * 10 + (aligned >> 8U);
  const std::uint64_t odd = (pairs & 0x000000ff000000ffU) * 0x000f424000000064U;
  const std::uint64_t even = ((pairs >> 16U) & 0x000000ff000000ffU) * 0x0000271000000001U;
  return {static_cast<std::int64_t>((odd + even) >> 32U), count};
}

Digits read_word_portable(const char* at) {
  Digits digits;
  for (; digits.count < kWord && is_digit(at[digits.count]); ++digits.count) {
    digits.value = digits.value * 10 + (at[digits.count] - '0');
  }
  return digits;
}

Digits next_digits(const char* at) {
  return std::endian::native == std::endian::little ? read_word(at) : read_word_portable(at);
}

// Up to sixteen digits; one more is left behind, and makes the number an unusual one.
std::int64_t read_digits(const char*& at) {
  const Digits first = next_digits(at);
  at += first.count;
  if (first.count < kWord) return first.value;
  const Digits second = next_digits(at);
  at += second.count;
  return first.value * kPowers[second.count] + second.value;
}

// Behind the point; what is finer than a nanosecond is dropped.
std::int64_t read_decimals_ns(const char*& at) {
  const Digits digits = next_digits(at);
  at += digits.count;
  if (digits.count <= kDecimals) return digits.value * kPowers[kDecimals - digits.count];
  while (is_digit(*at)) ++at;
  return digits.value / kPowers[digits.count - kDecimals];
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
