#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "stash/import/skip_nested.h"

// The smallest pieces of JSON, from one place in a text to behind the piece. kScanPadding bytes behind `end` can be
// read; the first of them is 0, which no piece may hold outside a string.
namespace stash::scan {

inline const char* skip_space(const char* at) {
  if (at[0] == ' ' && static_cast<unsigned char>(at[1]) > ' ') return at + 1;
  // As torch.profiler indents the keys of an event.
  constexpr std::string_view kIndent = "\n    ";
  if (std::memcmp(at, kIndent.data(), kIndent.size()) == 0) at += kIndent.size();
  while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') ++at;
  return at;
}

// From behind the opening quote to the closing one; nullptr when it is not in [at, end).
const char* find_quote(const char* at, const char* end);

// A whole number; nullopt for anything else that a value may be. `at` moves behind the characters of the number.
std::optional<std::int64_t> read_integer(const char*& at);

// Microseconds with decimals, as nanoseconds. nullopt: no number, or further from 0 than a hundred years.
std::optional<std::int64_t> read_us_as_ns(const char*& at);

// Behind a number or a word such as null, true, NaN; `at` itself when there is none.
const char* skip_word(const char* at);

}  // namespace stash::scan
