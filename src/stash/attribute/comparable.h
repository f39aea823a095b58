#pragma once

#include <string>
#include <vector>

#include "stash/core/profile.h"

namespace stash {

// A property that two profiles do not share, as a reader would write it: "batch", "32", "64".
struct Mismatch {
  std::string what;
  std::string before;
  std::string after;
  bool operator==(const Mismatch&) const = default;
};

// What makes them different jobs, so that a difference of their steps says nothing: model, batch, device, ranks, ...
std::vector<Mismatch> job_mismatches(const Profile& before, const Profile& after);

// What may be the very cause of a difference: settings of the same job (workers, backend, ...), the machine, versions.
std::vector<Mismatch> setting_mismatches(const Profile& before, const Profile& after);

}  // namespace stash
