#include "stash/catalog/skypilot.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "stash/catalog/gpu_model.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/row_faults.h"
#include "stash/catalog/skypilot_google.h"
#include "stash/catalog/skypilot_price.h"
#include "stash/catalog/vms_reader.h"
#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {
namespace {

// What is kept of a file is bounded; the largest has 1,100 names and 45 regions.
constexpr std::size_t kMostNames = 100'000;
constexpr std::size_t kMostRegions = 10'000;
constexpr std::size_t kLongestName = 200;
constexpr double kMostVcpus = 1e6;

struct Offer {
  Instance instance;
  std::optional<SkypilotPrice> price;
};

// GpuInfo is what Python prints of a dictionary; one number of it is of use. Its TotalGpuMemoryInMiB is that of one
// GPU in the files of some clouds and that of all in others.
std::optional<std::int64_t> memory_bytes_of(std::string_view gpu_info) {
  constexpr std::string_view kKey = "'SizeInMiB':";
  const std::size_t at = gpu_info.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  gpu_info.remove_prefix(at + kKey.size());
  while (gpu_info.starts_with(' ')) gpu_info.remove_prefix(1);
  std::int64_t mib = 0;
  const auto result = std::from_chars(gpu_info.data(), gpu_info.data() + gpu_info.size(), mib);
  if (result.ec != std::errc() || mib <= 0 || mib > (std::int64_t{1} << 30)) return std::nullopt;
  return mib << 20;
}

// What a machine is, without what was known of its price and its rates.
Instance shape_of(const Instance& machine) {
  Instance shape;
  shape.name = machine.name;
  shape.gpu = machine.gpu;
  shape.gpus = machine.gpus;
  shape.gpu_memory_bytes = machine.gpu_memory_bytes;
  shape.vcpus = machine.vcpus;
  shape.memory_bytes = machine.memory_bytes;
  return shape;
}

class Importer {
 public:
  Importer(const SkypilotOptions& options, std::span<const Instance> known) : options_(options) {
    for (const Instance& instance : known) known_.emplace(lower_case(instance.name), &instance);
  }

  SkypilotImport run(std::istream& input) {
    VmsReader reader(input, options_.source);
    VmsRow row;
    while (reader.next(row)) {
      ++result_.rows;
      if (reader.fault()) {
        faults_.add(row.line, row.instance_type, *reader.fault());
      } else {
        take(row);
      }
    }
    check_region();
    for (const GooglePrices::Price& price : google_.joined()) {
      consider(offers_.try_emplace(price.machine->name, Offer{shape_of(*price.machine), {}}).first->second,
               price.price);
    }
    return finish();
  }

 private:
  void take(const VmsRow& row) {
    note_region(row.region);
    const bool wanted = options_.region.empty() || row.region == options_.region;
    if (row.accelerator_name.empty()) {
      ++result_.cpu_rows;
      const Instance* known = wanted ? find_known(row.instance_type) : nullptr;
      if (known != nullptr) google_.take_machine(*known, row);
    } else if (row.instance_type.empty()) {
      ++result_.other_rows;
      if (wanted) google_.take_gpus(row);
    } else if (!is_gpu(row)) {
      ++result_.other_rows;
    } else if (wanted) {
      take_instance(row);
    }
  }

  // AWS describes GPUs, and neither its own accelerators nor FPGAs; a part of a GPU trains nothing.
  bool is_gpu(const VmsRow& row) {
    const auto count = parse_figure(row.accelerator_count);
    if (count && *count < 1) return false;
    return !row.gpu_info.empty() || is_catalogued(row.accelerator_name);
  }

  bool is_catalogued(std::string_view accelerator) const {
    Instance asked;
    asked.gpu = catalogued_gpu_name(accelerator);
    return known_gpu(asked) != nullptr;
  }

  void take_instance(const VmsRow& row) {
    const double count = figure(row, "AcceleratorCount", row.accelerator_count, kMostGpusOfVmsRow);
    const double vcpus = figure(row, "vCPUs", row.vcpus, kMostVcpus);
    const double memory_gib = figure(row, "MemoryGiB", row.memory_gib);
    const double usd_per_h = figure(row, "Price", row.price);
    const double spot = row.spot_price.empty() ? 1 : figure(row, "SpotPrice", row.spot_price);
    if (count == 0 || vcpus == 0 || memory_gib == 0 || usd_per_h == 0 || spot == 0) return;
    if (count != std::floor(count)) return faults_.add(row.line, row.instance_type, "AcceleratorCount is not whole");
    const SkypilotPrice price{usd_per_h, parse_figure(row.spot_price), std::string(row.region)};
    if (const auto found = offers_.find(std::string(row.instance_type)); found != offers_.end()) {
      consider(found->second, price);
    } else if (row.instance_type.size() > kLongestName || row.accelerator_name.size() > kLongestName) {
      faults_.add(row.line, row.instance_type, "its name is too long");
    } else {
      add_offer(row, count, vcpus, memory_gib).price = price;
    }
  }

  // 0 where the row is at fault, which is then told.
  double figure(const VmsRow& row, std::string_view column, std::string_view text, double most = 1e9) {
    const double value = parse_figure(text).value_or(0);
    if (value > 0 && value <= most) return value;
    faults_.add(row.line, row.instance_type,
                text.empty() ? fmt::format("{} is missing", column)
                             : fmt::format("{} is '{}'; it must be above 0 and up to {:g}", column,
                                           text.substr(0, kLongestName), most));
    return 0;
  }

  static void consider(Offer& offer, const SkypilotPrice& price) {
    if (!offer.price || is_better(price, *offer.price)) offer.price = price;
  }

  Offer& add_offer(const VmsRow& row, double count, double vcpus, double memory_gib) {
    if (offers_.size() >= kMostNames) {
      throw Error(fmt::format("{} has more than {} instances; is it SkyPilot's vms.csv?", options_.source, kMostNames));
    }
    Instance instance;
    instance.name = row.instance_type;
    instance.gpu_memory_bytes = memory_bytes_of(row.gpu_info);
    instance.gpu = catalogued_gpu_name(row.accelerator_name, instance.gpu_memory_bytes.value_or(0));
    instance.gpus = static_cast<int>(count);
    instance.vcpus = static_cast<int>(std::ceil(vcpus));
    instance.memory_bytes = std::llround(memory_gib * (1 << 30));
    correct(instance, row);
    return offers_.emplace(instance.name, Offer{instance, {}}).first->second;
  }

  // The catalogue's word on the GPUs of a machine weighs more than SkyPilot's: Azure's ND96isr_H100_v5 has eight.
  void correct(Instance& instance, const VmsRow& row) {
    const Instance* known = find_known(instance.name);
    if (known == nullptr) return;
    if (known->gpus != instance.gpus) {
      result_.catalogue.warnings.push_back(
          fmt::format("{} line {}: '{}' is said to have {} GPUs; the {} of the built-in catalogue are taken",
                      options_.source, row.line, instance.name, instance.gpus, known->gpus));
    }
    instance.gpus = known->gpus;
    instance.gpu = known->gpu;
  }

  SkypilotImport finish() {
    std::map<std::string_view, Offer*> by_name;
    for (auto& [name, offer] : offers_) by_name.emplace(name, &offer);
    result_.cloud = cloud(by_name);
    for (auto& [name, offer] : by_name) result_.catalogue.instances.push_back(finished(*offer));
    std::ranges::copy(faults_.sentences(options_.source), std::back_inserter(result_.catalogue.warnings));
    if (result_.catalogue.instances.empty()) {
      const auto& warnings = result_.catalogue.warnings;
      throw Error(fmt::format("{} has no machine with GPUs that could be used, in {} rows{}", options_.source,
                              result_.rows, warnings.empty() ? "" : "; " + warnings.front()));
    }
    return std::move(result_);
  }

  Instance finished(Offer& offer) {
    Instance instance = std::move(offer.instance);
    instance.cloud = result_.cloud;
    instance.usd_per_h = offer.price->usd_per_h;
    instance.spot_usd_per_h = offer.price->spot_usd_per_h;
    instance.price_date = instance.date = options_.date;
    instance.price_source = fmt::format("SkyPilot {}, {}, {}", options_.source, offer.price->region, options_.date);
    instance.source = fmt::format("SkyPilot {}, {}", options_.source, options_.date);
    return instance;
  }

  std::string cloud(const std::map<std::string_view, Offer*>& by_name) const {
    if (!options_.cloud.empty()) return options_.cloud;
    for (const auto& [name, offer] : by_name) {
      if (const Instance* known = find_known(name)) return known->cloud;
    }
    return "unknown";
  }

  void check_region() const {
    if (options_.region.empty() || regions_.contains(options_.region) || regions_.empty()) return;
    throw_unknown("--region", options_.region, std::vector<std::string_view>(regions_.begin(), regions_.end()));
  }

  void note_region(std::string_view region) {
    if (region == last_region_ || regions_.size() >= kMostRegions || region.size() > kLongestName) return;
    last_region_ = *regions_.emplace(region).first;
  }

  const Instance* find_known(std::string_view name) const {
    if (name.empty() || name.size() > kLongestName) return nullptr;
    const auto found = known_.find(lower_case(name));
    return found == known_.end() ? nullptr : found->second;
  }

  const SkypilotOptions& options_;
  std::unordered_map<std::string, const Instance*> known_;
  std::unordered_map<std::string, Offer> offers_;
  GooglePrices google_;
  RowFaults faults_;
  std::set<std::string, std::less<>> regions_;
  std::string_view last_region_;
  SkypilotImport result_;
};

}  // namespace

SkypilotImport import_skypilot(std::istream& input, const SkypilotOptions& options, std::span<const Instance> known) {
  return Importer(options, known).run(input);
}

}  // namespace stash
