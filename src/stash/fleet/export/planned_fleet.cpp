#include "stash/fleet/export/planned_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

using json_fields::FieldsOf;

constexpr std::size_t kMostPlanBytes = 64 << 20;
constexpr int kMostPlanned = 1000;

struct HourRange {
  int fewest = 0;
  int most = 0;
};

struct HourMachines {
  std::map<std::string, HourRange> machines;
};

struct PlanRows {
  std::string model;
  double objective_s = 0;
  std::vector<HourMachines> hours;
};

template <class V, FieldsOf<HourRange> T>
void fields(V& visit, T& range) {
  visit("fewest", range.fewest, 0);
  visit("most", range.most, 0);
}

template <class V, FieldsOf<HourMachines> T>
void fields(V& visit, T& hour) {
  visit("machines", hour.machines);
}

template <class V, FieldsOf<PlanRows> T>
void fields(V& visit, T& plan) {
  visit("model", plan.model);
  visit("objective_s", plan.objective_s, 0);
  visit("hours", plan.hours);
}

}  // namespace

PlannedFleet read_planned_fleet(const std::filesystem::path& file) {
  const nlohmann::json json = parse_json(read_file(file, kMostPlanBytes), file.string());
  PlanRows rows;
  json_fields::read(json, json_fields::Path{nullptr, file.native()}, rows);
  PlannedFleet plan{.model = rows.model, .objective_s = rows.objective_s, .rows = {}};
  for (const HourMachines& hour : rows.hours) {
    for (const auto& [name, range] : hour.machines) {
      auto row = std::ranges::find(plan.rows, name, &PlannedFleet::Row::name);
      if (row == plan.rows.end()) row = plan.rows.insert(plan.rows.end(), {name, range.fewest, range.most});
      row->fewest = std::min(row->fewest, range.fewest);
      row->most = std::max(row->most, range.most);
    }
  }
  std::erase_if(plan.rows, [](const PlannedFleet::Row& row) { return row.most == 0; });
  if (plan.rows.empty()) throw Error(fmt::format("{} plans no machines", file.string()));
  return plan;
}

std::vector<ExportedMachines> planned_machines(const PlannedFleet& plan, const Market& market) {
  std::vector<ExportedMachines> found;
  std::vector<std::string_view> names;
  for (const MachineType& type : market.machines) names.emplace_back(type.name);
  for (const PlannedFleet::Row& row : plan.rows) {
    const auto type = std::ranges::find(names, row.name);
    if (type == names.end()) throw_unknown("machine of the plan", row.name, names);
    if (row.most > kMostPlanned) {
      throw UsageError(fmt::format("the plan has {} {}, more than {}", row.most, row.name, kMostPlanned));
    }
    found.push_back({.type = static_cast<int>(type - names.begin()),
                     .spot = false,
                     .count = std::max(row.fewest, 1),
                     .most = std::max(row.most, 1)});
  }
  return found;
}

}  // namespace stash
