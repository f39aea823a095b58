#include "stash/catalog/instances.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "stash/catalog/csv.h"
#include "stash/catalog/embedded_csv.h"
#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {
namespace {

// catalog/sources.csv: what stands behind a source's short name, with its date.
std::map<std::string, std::string> embedded_sources() {
  std::map<std::string, std::string> sources;
  for (const CsvRow& row : parse_csv(kSourcesCsv, "catalog/sources.csv").rows) {
    sources[row.fields.at(0)] = fmt::format("{}, {}", row.fields.at(1), row.fields.at(2));
  }
  return sources;
}

std::vector<Instance> embedded_instances() {
  const std::map<std::string, std::string> sources = embedded_sources();
  Catalogue catalogue = parse_instances(kInstancesCsv, "catalog/instances.csv");
  if (!catalogue.warnings.empty()) throw Error(catalogue.warnings.front());
  for (Instance& row : catalogue.instances) {
    for (std::string* source : {&row.source, &row.price_source, &row.network_source, &row.storage_source,
                                &row.links_source, &row.host_source, &row.decode_source}) {
      if (!source->empty()) *source = sources.at(*source);
    }
  }
  return std::move(catalogue.instances);
}

std::string_view nearest_instance(std::span<const Instance> instances, std::string_view wanted) {
  std::vector<std::string> names;
  for (const Instance& instance : instances) names.push_back(lower_case(instance.name));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view found = nearest(wanted, views);
  if (found.empty()) return found;
  return instances[static_cast<std::size_t>(std::ranges::find(views, found) - views.begin())].name;
}

// "DGX A100" and "dgx-a100" are the beginning of dgxa100-40 and dgxa100-80.
std::string letters_and_digits(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](unsigned char c) { return std::isalnum(c) == 0; });
  return plain;
}

std::vector<std::string_view> begin_alike(std::span<const Instance> instances, std::string_view name) {
  std::vector<std::string_view> found;
  const std::string wanted = letters_and_digits(name);
  for (const Instance& instance : instances) {
    if (!wanted.empty() && letters_and_digits(instance.name).starts_with(wanted)) found.push_back(instance.name);
  }
  return found;
}

std::string suggestion(std::span<const Instance> instances, std::string_view name) {
  constexpr std::size_t kMost = 5;
  const std::vector<std::string_view> alike = begin_alike(instances, name);
  if (!alike.empty() && alike.size() <= kMost) return fmt::format("did you mean '{}'?", fmt::join(alike, "' or '"));
  const std::string_view near = nearest_instance(instances, lower_case(name));
  return near.empty() ? "'stash catalog list' shows those that there are" : fmt::format("did you mean '{}'?", near);
}

}  // namespace

std::span<const Instance> instance_table() {
  static const std::vector<Instance> instances = embedded_instances();
  return instances;
}

const Instance* find_instance_or_null(std::span<const Instance> instances, std::string_view name) {
  const auto same = [wanted = lower_case(name)](const Instance& instance) {
    return lower_case(instance.name) == wanted;
  };
  const auto found = std::ranges::find_if(instances, same);
  return found == instances.end() ? nullptr : &*found;
}

const Instance& find_instance(std::span<const Instance> instances, std::string_view name) {
  if (const Instance* found = find_instance_or_null(instances, name)) return *found;
  throw UsageError(fmt::format("unknown instance '{}'; {}", name, suggestion(instances, name)));
}

const Instance& find_instance(std::string_view name) { return find_instance(instance_table(), name); }

const Gpu* known_gpu(const Instance& instance) {
  const std::string wanted = lower_case(instance.gpu);
  for (const Gpu& gpu : gpu_table()) {
    if (lower_case(gpu.name) == wanted) return &gpu;
  }
  return nullptr;
}

bool is_for_rent(const Instance& instance) { return instance.cloud != "own" || instance.usd_per_h.has_value(); }

std::optional<std::int64_t> gpu_memory_bytes(const Instance& instance) {
  if (instance.gpu_memory_bytes) return instance.gpu_memory_bytes;
  const Gpu* gpu = known_gpu(instance);
  return gpu ? std::optional(gpu->memory_bytes) : std::nullopt;
}

std::string cloud_name(std::string_view name) {
  std::string cloud = lower_case(name);
  return cloud == "gcp" ? "google" : cloud;
}

}  // namespace stash
