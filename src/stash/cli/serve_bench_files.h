#pragma once

#include <optional>
#include <string>

namespace stash {

inline constexpr int kExitOverLimit = 1;  // of `stash diff --fail-over`

// Two files of `stash serve bench` that are compared.
struct ServeBenchFiles {
  std::string before, after;
  std::optional<double> limit_ratio;  // of --fail-over
  bool even_if_different = false;     // --force
};

}  // namespace stash
