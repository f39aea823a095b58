#pragma once

#include <filesystem>

namespace stash {

inline constexpr const char* kBatteryPlanFile = "battery.json";

// True where the folder looks like one of `stash characterize`.
inline bool is_battery(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / kBatteryPlanFile, ignored) ||
         std::filesystem::exists(folder / "cases", ignored);
}

}  // namespace stash
