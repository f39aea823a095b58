#include "stash/import/skip_nested.h"

namespace stash {
namespace {

// Behind the closing quote; nullptr when it is not there.
const char* skip_string(const char* at, const char* end) {
  for (; at < end; ++at) {
    if (*at == '"') return at + 1;
    if (*at == '\\') ++at;
  }
  return nullptr;
}

}  // namespace

const char* skip_nested_portable(const char* at, const char* end) {
  std::size_t depth = 1;
  while (at != nullptr && at < end) {
    const char c = *at++;
    if (c == '"') {
      at = skip_string(at, end);
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at;
    }
  }
  return nullptr;
}

#if !defined(__x86_64__)
SkipNested best_skip_nested() { return skip_nested_portable; }
#endif

}  // namespace stash
