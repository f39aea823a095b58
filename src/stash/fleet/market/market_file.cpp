#include "stash/fleet/market/market_file.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "stash/core/file.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

using json_fields::FieldsOf;

constexpr std::size_t kMostMarketBytes = 16 << 20;
constexpr int kMarketVersion = 1;
constexpr std::size_t kMostTypes = 1000;
constexpr int kMostDevices = 1024;

// As MachineType, with its defaults; BatchTimes has no empty state, which reading needs.
struct MachineRow {
  std::string name;
  double usd_per_hour = 0;
  std::optional<double> spot_usd_per_hour;
  double interruptions_per_hour = 0;
  StartTime start;
  double least_billed_s = 60;
  int devices = 1;
  std::vector<BatchTime> times;
  double times_spread_ratio = 0;
  std::string source;
  double managed_price_ratio = 1.4;
  bool has_gpu = true;
  int most_batch = 32;
};

struct MarketRows {
  std::string model;
  std::vector<MachineRow> machines;
  std::vector<FunctionType> functions;
};

}  // namespace

template <class V, FieldsOf<VaryingTime> T>
void fields(V& visit, T& time) {
  visit("median_s", time.median_s, 0);
  visit("p95_s", time.p95_s, 0);
}

template <class V, FieldsOf<StartTime> T>
void fields(V& visit, T& start) {
  visit.or_default("machine", start.machine);
  visit.or_default("image", start.image);
  visit.or_default("weights", start.weights);
  visit.or_default("warmup", start.warmup);
}

template <class V, FieldsOf<BatchTime> T>
void fields(V& visit, T& time) {
  visit("batch", time.batch, 1);
  visit("s", time.s, 0);
}

namespace {

template <class V, FieldsOf<MachineRow> T>
void fields(V& visit, T& row) {
  visit("name", row.name);
  visit("usd_per_hour", row.usd_per_hour, 0);
  visit("spot_usd_per_hour", row.spot_usd_per_hour, 0);
  visit.or_default("interruptions_per_hour", row.interruptions_per_hour, 0);
  visit.or_default("start", row.start);
  visit.or_default("least_billed_s", row.least_billed_s, 0);
  visit.or_default("devices", row.devices, 1);
  visit("times", row.times);
  visit.or_default("times_spread_ratio", row.times_spread_ratio, 0);
  visit.or_default("source", row.source);
  visit.or_default("managed_price_ratio", row.managed_price_ratio, 0);
  visit.or_default("has_gpu", row.has_gpu);
  visit.or_default("most_batch", row.most_batch, 1);
}

}  // namespace

template <class V, FieldsOf<FunctionType> T>
void fields(V& visit, T& function) {
  visit("name", function.name);
  visit("usd_per_s", function.usd_per_s, 0);
  visit("usd_per_request", function.usd_per_request, 0);
  visit("work_s", function.work_s, 0);
  visit.or_default("cold_start", function.cold_start);
  visit.or_default("kept_warm_s", function.kept_warm_s, 0);
  visit.or_default("source", function.source);
}

namespace {

template <class V, FieldsOf<MarketRows> T>
void fields(V& visit, T& market) {
  visit("model", market.model);
  visit("machines", market.machines);
  visit.or_default("functions", market.functions);
}

MachineRow row_of(const MachineType& type) {
  return {.name = type.name,
          .usd_per_hour = type.usd_per_hour,
          .spot_usd_per_hour = type.spot_usd_per_hour,
          .interruptions_per_hour = type.interruptions_per_hour,
          .start = type.start,
          .least_billed_s = type.least_billed_s,
          .devices = type.devices,
          .times = type.times.rows(),
          .times_spread_ratio = type.times_spread_ratio,
          .source = type.source,
          .managed_price_ratio = type.managed_price_ratio,
          .has_gpu = type.has_gpu,
          .most_batch = type.most_batch};
}

MachineType type_of(MachineRow row, std::string_view source) {
  const auto fail = [&](std::string_view what) {
    throw Error(fmt::format("{}: machine '{}' {}", source, row.name, what));
  };
  if (row.name.empty()) fail("needs a name");
  if (!(row.usd_per_hour > 0)) fail("needs a price above 0 (usd_per_hour)");
  if (row.spot_usd_per_hour && !(*row.spot_usd_per_hour > 0)) fail("needs a price above 0 (spot_usd_per_hour)");
  if (row.devices > kMostDevices) fail(fmt::format("has {} devices; at most {} are taken", row.devices, kMostDevices));
  for (const BatchTime& time : row.times) {
    if (!(time.s > 0)) fail("has a batch that takes no time (times)");
  }
  MachineType type{.name = row.name,
                   .usd_per_hour = row.usd_per_hour,
                   .spot_usd_per_hour = row.spot_usd_per_hour,
                   .interruptions_per_hour = row.interruptions_per_hour,
                   .start = row.start,
                   .least_billed_s = row.least_billed_s,
                   .devices = row.devices,
                   .times = BatchTimes(std::move(row.times)),
                   .times_spread_ratio = row.times_spread_ratio,
                   .source = std::move(row.source),
                   .managed_price_ratio = row.managed_price_ratio,
                   .has_gpu = row.has_gpu,
                   .most_batch = row.most_batch};
  return type;
}

}  // namespace

std::string market_text(const Market& market) {
  MarketRows rows{.model = market.model, .machines = {}, .functions = market.functions};
  for (const MachineType& type : market.machines) rows.machines.push_back(row_of(type));
  nlohmann::json json = json_fields::write(rows);
  json["schema_version"] = kMarketVersion;
  return dump_json(json, 2) + "\n";
}

Market market_from_text(std::string_view text, std::string_view source) {
  const nlohmann::json json = parse_json(text, source);
  MarketRows rows;
  json_fields::read(json, json_fields::Path{nullptr, source}, rows);
  if (rows.machines.empty()) throw Error(fmt::format("{} has no machines", source));
  if (rows.machines.size() > kMostTypes) throw Error(fmt::format("{} has more than {} machines", source, kMostTypes));
  Market market{.model = rows.model, .machines = {}, .functions = std::move(rows.functions)};
  std::set<std::string> names;
  for (MachineRow& row : rows.machines) {
    if (!names.insert(row.name).second) throw Error(fmt::format("{} has machine '{}' twice", source, row.name));
    market.machines.push_back(type_of(std::move(row), source));
  }
  return market;
}

Market read_market(const std::filesystem::path& file) {
  return market_from_text(read_file(file, kMostMarketBytes), file.string());
}

}  // namespace stash
