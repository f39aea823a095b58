#pragma once

#include <chrono>
#include <thread>

namespace stash {

// Whether `condition` comes true within far more time than it needs: who waits for it fails instead of hanging.
template <class Condition>
bool eventually(const Condition& condition) {
  constexpr std::chrono::seconds kPatience{20};
  constexpr std::chrono::milliseconds kPause{1};
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace stash
