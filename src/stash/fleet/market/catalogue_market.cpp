#include "stash/fleet/market/catalogue_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/market/cpu_time.h"
#include "stash/fleet/market/market_rows.h"
#include "stash/models/models.h"
#include "stash/serve/model/served_model.h"

namespace stash {
namespace {

// T(b) by the roofline was off by 27 % on average (docs/serving.md).
constexpr double kRooflineSpreadRatio = 0.3;
// Two reports: a plain EC2 machine answers 22 to 30 s after it was asked for.
constexpr VaryingTime kMachineStart{26, 30};
// Assumptions: a driver in the image, a container of some gigabytes on GPU machines and of one on others.
constexpr VaryingTime kGpuImage{60, 120};
constexpr VaryingTime kCpuImage{20, 40};
constexpr double kWeightsBytesPerS = 200e6;  // from object storage
constexpr VaryingTime kGpuWarmup{5, 10};
constexpr VaryingTime kCpuWarmup{2, 4};
// An assumption: once in twenty hours. AWS' advisor calls "over 20 % per month" its worst; GPUs are taken more often.
constexpr double kInterruptionsPerHour = 0.05;
constexpr double kManagedRatio = 1.4;     // of g4dn, g5, g6: lists of third parties
constexpr double kManagedP3Ratio = 1.33;  // 1.25 to 1.40
constexpr double kManagedCpuRatio = 1.2;  // of c5 and m5
constexpr std::string_view kSleep = "sleep:";

bool is_sleeper(const std::string& model) { return model.find(kSleep) != std::string::npos; }

class CatalogueMarket {
 public:
  CatalogueMarket(const MarketQuestion& question, std::vector<std::string>& warnings)
      : question_(question), source_(parse_model_source(question.model)), warnings_(warnings) {
    if (is_sleeper(source_.spec)) return;
    const Graph graph = make_model(source_.spec);
    forward_ops_ = graph.forward_ops();
    weight_bytes_ = 4.0 * static_cast<double>(graph.parameter_count());
  }

  std::string name() const { return source_.name; }

  std::optional<MachineType> on_gpu(const Instance& instance) {
    const Gpu* const gpu = known_gpu(instance);
    if (gpu == nullptr || instance.gpus < 1) {
      return refuse(instance.name, instance.gpu.empty() ? "it has no GPU" : "the rates of its GPU are not known");
    }
    if (!instance.usd_per_h) return refuse(instance.name, "its price is missing; add it with `stash catalog add`");
    MachineType type{.name = instance.name,
                     .usd_per_hour = *instance.usd_per_h,
                     .start = usual_start(true, weight_bytes_),
                     .devices = instance.gpus,
                     .times = times_on(*gpu),
                     .times_spread_ratio = kRooflineSpreadRatio};
    if (question_.spot && instance.spot_usd_per_h && *instance.spot_usd_per_h < *instance.usd_per_h) {
      type.spot_usd_per_hour = instance.spot_usd_per_h;
      type.interruptions_per_hour = kInterruptionsPerHour;
    }
    type.source =
        fmt::format("T(b): roofline of a {}; price: {}, {}", gpu->name, instance.price_source, instance.price_date);
    type.managed_price_ratio = instance.name.starts_with("p3") ? kManagedP3Ratio : kManagedRatio;
    type.most_batch = question_.most_batch;
    return type;
  }

  std::optional<MachineType> on_cpu(const CpuMachine& machine) {
    if (is_sleeper(source_.spec)) return refuse(machine.name, "sleep:TIME runs on emulated GPUs only");
    const double s = cpu_forward_s(forward_ops_, machine.vcpus / 2);
    MachineType type{.name = machine.name,
                     .usd_per_hour = machine.usd_per_hour,
                     .start = usual_start(false, weight_bytes_),
                     .times = BatchTimes({{1, s}, {2, 2 * s}}),
                     .times_spread_ratio = kCpuSpreadRatio};
    type.source = fmt::format("T(b): a rough estimate for its cores; price: {}", machine.source);
    type.managed_price_ratio = kManagedCpuRatio;
    type.has_gpu = false;
    type.most_batch = question_.most_batch;
    return type;
  }

  // A GPU function is a machine that starts quickly and is billed by the second.
  MachineType on_gpu_function(const FunctionRow& row) {
    MachineType type{.name = row.name,
                     .usd_per_hour = row.usd_per_s * kSecondsPerHour,
                     .start = {.machine = row.cold_start, .image = {}, .weights = {}, .warmup = kGpuWarmup},
                     .least_billed_s = 1,
                     .times = times_on(find_gpu(row.gpu)),
                     .times_spread_ratio = kRooflineSpreadRatio};
    type.source = fmt::format("T(b): roofline of a {}; price: {}", row.gpu, row.source);
    type.managed_price_ratio = 1;
    type.most_batch = question_.most_batch;
    return type;
  }

  std::optional<FunctionType> cpu_function(const FunctionRow& row) const {
    if (is_sleeper(source_.spec)) return std::nullopt;
    return FunctionType{.name = row.name,
                        .usd_per_s = row.usd_per_s,
                        .usd_per_request = row.usd_per_request,
                        .work_s = cpu_forward_s(forward_ops_, row.vcpus / 2),
                        .cold_start = row.cold_start,
                        .kept_warm_s = row.kept_warm_s,
                        .source = row.source};
  }

 private:
  std::nullopt_t refuse(const std::string& name, std::string_view why) {
    warnings_.push_back(fmt::format("{} is not offered: {}", name, why));
    return std::nullopt;
  }

  BatchTimes times_on(const Gpu& gpu) const {
    return make_served_model(source_, gpu, question_.dtype, question_.most_batch).times;
  }

  const MarketQuestion& question_;
  ModelSource source_;
  std::vector<std::string>& warnings_;
  double forward_ops_ = 0;
  double weight_bytes_ = 0;
};

// The cheapest with each GPU that has a price; AWS' where there are any, whose CPU machines and functions stand beside.
std::vector<const Instance*> usual_instances(std::span<const Instance> instances, DType dtype) {
  std::map<std::string, const Instance*> cheapest;
  for (const Instance& one : instances) {
    const Gpu* const gpu = known_gpu(one);
    if (one.cloud != "aws" || gpu == nullptr || one.gpus != 1 || !one.usd_per_h) continue;
    if ((dtype == DType::fp16 && !gpu->fp16_ops_per_s) || (dtype == DType::bf16 && !gpu->bf16_ops_per_s)) continue;
    const Instance*& known = cheapest[one.gpu];
    if (known == nullptr || *one.usd_per_h < *known->usd_per_h) known = &one;
  }
  std::vector<const Instance*> found;
  for (const auto& [gpu, instance] : cheapest) found.push_back(instance);
  return found;
}

}  // namespace

StartTime usual_start(bool has_gpu, double weight_bytes) {
  const double weights_s = weight_bytes / kWeightsBytesPerS;
  return {.machine = kMachineStart,
          .image = has_gpu ? kGpuImage : kCpuImage,
          .weights = {weights_s, 2 * weights_s},
          .warmup = has_gpu ? kGpuWarmup : kCpuWarmup};
}

Market catalogue_market(const MarketQuestion& question, std::span<const Instance> instances,
                        std::vector<std::string>& warnings) {
  CatalogueMarket maker(question, warnings);
  Market market{.model = maker.name(), .machines = {}, .functions = {}};
  const auto add = [&](std::optional<MachineType> type) {
    if (type) market.machines.push_back(std::move(*type));
  };
  const auto cpus = cpu_machine_table();
  const auto functions = function_table();
  if (question.on.empty()) {
    for (const Instance* one : usual_instances(instances, question.dtype)) add(maker.on_gpu(*one));
    if (!is_sleeper(question.model)) {
      for (const CpuMachine& one : cpus) add(maker.on_cpu(one));
    }
    for (const FunctionRow& one : functions) {
      if (!question.functions) continue;
      if (!one.gpu.empty()) add(maker.on_gpu_function(one));
    }
  }
  for (const std::string& name : question.on) {
    const auto cpu = std::ranges::find(cpus, name, &CpuMachine::name);
    const auto function = std::ranges::find(functions, name, &FunctionRow::name);
    if (cpu != cpus.end()) {
      add(maker.on_cpu(*cpu));
    } else if (function != functions.end() && !function->gpu.empty()) {
      add(maker.on_gpu_function(*function));
    } else if (function != functions.end()) {
      if (auto one = maker.cpu_function(*function)) market.functions.push_back(std::move(*one));
    } else {
      add(maker.on_gpu(find_instance(instances, name)));
    }
  }
  for (const FunctionRow& row : functions) {
    const bool is_there = std::ranges::find(market.functions, row.name, &FunctionType::name) != market.functions.end();
    if (!question.functions || !row.gpu.empty() || is_there) continue;
    if (auto one = maker.cpu_function(row)) market.functions.push_back(std::move(*one));
  }
  return market;
}

}  // namespace stash
