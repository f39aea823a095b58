#pragma once

#include <cstddef>

namespace stash {

// Bytes that must be readable behind the end of any text that is scanned; their values do not matter for the result.
inline constexpr std::size_t kScanPadding = 64;

// From behind an opening bracket to behind the closing one; nullptr when it is not in [at, end). Brackets in strings do
// not count; kinds of brackets are not told apart, and depth costs no memory.
using SkipNested = const char* (*)(const char* at, const char* end);

const char* skip_nested_portable(const char* at, const char* end);

// The fastest that this processor can run.
SkipNested best_skip_nested();

}  // namespace stash
