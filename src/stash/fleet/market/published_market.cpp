#include "stash/fleet/market/published_market.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/fleet/market/embedded_market.h"
#include "stash/fleet/market/market_rows.h"

namespace stash {
namespace {

struct PublishedModel {
  std::string_view name;
  std::string_view model;
  double function_s;  // on the vCPUs of a function of 3 GB
};

// Two vCPUs, as c5.large has, and 10 % for slower ones: measured for Inception-v3; the line through the larger machines
// (market/cpu_time.cpp) for NASNet, and for NMT, whose single requests were not published, half of a batch of two on
// twice the cores.
constexpr std::array kPublished{PublishedModel{"mark-inception", "Inception-v3", 1.1 * 0.211},
                                PublishedModel{"mark-nasnet", "NASNet", 1.1 * 1.23},
                                PublishedModel{"mark-nmt", "NMT", 1.1 * 1.1}};
constexpr double kSingleRatio = 0.48;
constexpr VaryingTime kMarkStart{180, 180};
constexpr double kP2UsdPerHour = 0.9;
constexpr double kManaged2019Ratio = 1.4;  // ml.c5.large 0.119 over 0.085, ml.p2.xlarge 1.26 over 0.90
constexpr double kLambdaGbS = 3 * 0.0000166667;

double usd_per_hour_2019(const std::string& name) {
  if (name == "p2.xlarge") return kP2UsdPerHour;
  const auto cpus = cpu_machine_table();
  const auto found = std::ranges::find(cpus, name, &CpuMachine::name);
  if (found == cpus.end()) throw Error(fmt::format("catalog/cpu_machines.csv has no {}", name));
  return found->usd_per_hour;
}

}  // namespace

Market published_market(std::string_view name) {
  const auto published = std::ranges::find(kPublished, name, &PublishedModel::name);
  if (published == kPublished.end()) throw_unknown("published market", name, kPublishedMarkets);
  Market market{.model = std::string(published->model), .machines = {}, .functions = {}};
  const NamedRows rows(kMarkCapacitiesCsv, "data/mark_capacities.csv");
  for (std::size_t i = 0; i < rows.count(); ++i) {
    if (rows.text(i, "model") != published->model) continue;
    const int batch = static_cast<int>(rows.needed(i, "batch"));
    const double batch_s = batch * 60 / rows.needed(i, "requests_per_min");
    const std::string machine = rows.text(i, "instance");
    const bool has_gpu = machine.starts_with("p2");
    std::vector<BatchTime> times{{1, has_gpu ? kSingleRatio * batch_s : batch_s / batch}};
    times.push_back(has_gpu ? BatchTime{batch, batch_s} : BatchTime{2, 2 * batch_s / batch});
    MachineType type{.name = machine,
                     .usd_per_hour = usd_per_hour_2019(machine),
                     .start = {.machine = kMarkStart, .image = {}, .weights = {}, .warmup = {}},
                     .times = BatchTimes(std::move(times))};
    type.source = fmt::format("{}; AWS' prices of 2019, us-east-1", rows.text(i, "source"));
    type.managed_price_ratio = kManaged2019Ratio;
    type.has_gpu = has_gpu;
    type.most_batch = batch;
    market.machines.push_back(std::move(type));
  }
  market.functions.push_back({.name = "lambda-3GB",
                              .usd_per_s = kLambdaGbS,
                              .usd_per_request = 2e-7,
                              .work_s = published->function_s,
                              .cold_start = {3, 6},
                              .source = "AWS Lambda: $0.0000166667 per GB-s, $0.20 per million requests; its time is "
                                        "that of two vCPUs of c5, an assumption"});
  return market;
}

}  // namespace stash
