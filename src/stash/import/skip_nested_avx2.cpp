#include "stash/import/skip_nested.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <utility>

// Compiled for every x86-64 processor; only these functions use AVX2, and they run only where it is there.
#define STASH_AVX2 [[gnu::target("avx2,pclmul,popcnt,bmi")]]

namespace stash {
namespace {

constexpr std::size_t kBlock = 64;
constexpr char kToBrace = 0x20;  // the bit between '[' and '{', and between ']' and '}'

// One bit for each of 64 characters.
struct Block {
  __m256i low, high;
};

STASH_AVX2 inline std::uint64_t equal(const Block& block, char c) {
  const __m256i wanted = _mm256_set1_epi8(c);
  const auto low = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(block.low, wanted)));
  const auto high = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(block.high, wanted)));
  return low | (std::uint64_t{high} << 32U);
}

STASH_AVX2 inline Block load(const char* at) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32))};
}

STASH_AVX2 inline Block as_braces(const Block& block) {
  const __m256i bit = _mm256_set1_epi8(kToBrace);
  return {_mm256_or_si256(block.low, bit), _mm256_or_si256(block.high, bit)};
}

// Characters behind an odd run of backslashes. `carry` is 1 when the block before ended in one.
STASH_AVX2 inline std::uint64_t escaped(std::uint64_t backslashes, std::uint64_t& carry) {
  if (backslashes == 0) return std::exchange(carry, 0);
  std::uint64_t result = 0;
  bool escape = carry != 0;
  for (unsigned i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (escape) result |= bit;
    escape = !escape && (backslashes & bit) != 0;
  }
  carry = escape ? 1 : 0;
  return result;
}

// Bit i is the parity of bits 0 to i: set from an opening quote up to before the closing one.
STASH_AVX2 inline std::uint64_t between_quotes(std::uint64_t quotes) {
  const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<std::int64_t>(quotes)),
                                               _mm_set1_epi8(static_cast<char>(0xff)), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

// The place of the bracket that closes the last level; kBlock when it is in a later block, `depth` then holds.
STASH_AVX2 inline unsigned find_close(std::uint64_t opens, std::uint64_t closes, std::size_t& depth) {
  const auto close_count = static_cast<std::size_t>(std::popcount(closes));
  if (close_count < depth) {
    depth += static_cast<std::size_t>(std::popcount(opens)) - close_count;
    return kBlock;
  }
  for (std::uint64_t left = opens | closes; left != 0; left &= left - 1) {
    if ((closes & left & (~left + 1)) == 0) {
      ++depth;
    } else if (--depth == 0) {
      return static_cast<unsigned>(std::countr_zero(left));
    }
  }
  return kBlock;
}

STASH_AVX2 const char* skip_nested_avx2(const char* at, const char* end) {
  std::size_t depth = 1;
  std::uint64_t in_string = 0, escape_carry = 0;
  for (; at < end; at += kBlock) {
    const Block block = load(at);
    const std::uint64_t quotes = equal(block, '"') & ~escaped(equal(block, '\\'), escape_carry);
    const std::uint64_t strings = between_quotes(quotes) ^ in_string;
    in_string = std::uint64_t{0} - (strings >> 63U);
    const Block braces = as_braces(block);
    const unsigned place = find_close(equal(braces, '{') & ~strings, equal(braces, '}') & ~strings, depth);
    if (place < kBlock) return at + place < end ? at + place + 1 : nullptr;
  }
  return nullptr;
}

}  // namespace

SkipNested best_skip_nested() {
  const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi");
  return fast ? skip_nested_avx2 : skip_nested_portable;
}

}  // namespace stash

#endif
