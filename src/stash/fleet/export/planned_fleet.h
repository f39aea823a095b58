#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stash/fleet/export/fleet_files.h"

namespace stash {

// The machines of a plan: of each type the fewest and the most of any hour.
struct PlannedFleet {
  struct Row {
    std::string name;
    int fewest = 0;
    int most = 0;
  };
  std::string model;
  double objective_s = 0;
  std::vector<Row> rows;
};

// A file of `stash fleet plan --format json`; Error names the key at fault.
PlannedFleet read_planned_fleet(const std::filesystem::path& file);

// UsageError where the market lacks one of them.
std::vector<ExportedMachines> planned_machines(const PlannedFleet& plan, const Market& market);

}  // namespace stash
