#pragma once

#include <optional>
#include <span>
#include <string>

#include "stash/core/profile.h"
#include "stash/share/supply_curve.h"

namespace stash {

struct CurveOptions {
  int most_workers = 16;                        // of a rank
  std::optional<double> cached_ratio{};         // of the samples; nullopt: as the profile has it
  std::optional<double> storage_bytes_per_s{};  // of the machine; nullopt: as the profile measured it
};

// The curve of the job of `profiles`: one, or several of the same job with different numbers of workers, which tell
// what each additional worker is worth. What the simulator says, held to what was measured. Error says what the profile
// lacks.
SupplyCurve curve_of(std::span<const Profile> profiles, std::string name, const CurveOptions& options);

// What the storage gave while the profile was measured; nullopt: it kept up, or was not asked.
std::optional<double> measured_storage_bytes_per_s(const Profile& profile);

}  // namespace stash
