#pragma once

namespace stash {

inline constexpr const char* kVersion = STASH_VERSION;

}  // namespace stash
