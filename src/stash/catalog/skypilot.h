#pragma once

#include <cstdint>
#include <istream>
#include <span>
#include <string>

#include "stash/catalog/instance.h"

namespace stash {

struct SkypilotOptions {
  std::string source = "vms.csv";  // names the file in messages and as a source
  std::string date;                // of the snapshot, kept with every row
  std::string cloud;               // empty: that of the instances that are known
  std::string region;              // empty: for each instance the cheapest US region, elsewhere where there is none
};

struct SkypilotImport {
  Catalogue catalogue;
  std::string cloud;
  std::int64_t rows = 0;
  std::int64_t cpu_rows = 0;    // without an accelerator
  std::int64_t other_rows = 0;  // with one that is no GPU, or with a part of one
};

// The instances with GPUs of SkyPilot's vms.csv, versions 7 and 8: one per name, at its lowest price. `known` says what
// SkyPilot does not or gets wrong: how many GPUs of which kind, and which of Google's machines have which. A row with
// a missing, zero or negative figure becomes a warning. Error: the file is not SkyPilot's. UsageError: the region
// is not in it.
SkypilotImport import_skypilot(std::istream& input, const SkypilotOptions& options, std::span<const Instance> known);

}  // namespace stash
