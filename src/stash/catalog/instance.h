#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// How the GPUs of a machine reach each other; none: there is one, or none.
enum class GpuLinks { none, pcie, nvlink, nvswitch };
GpuLinks parse_gpu_links(std::string_view name);  // UsageError names the nearest
std::string_view to_string(GpuLinks links);

// A machine that can be rented, or one's own. What is unknown is nullopt or empty. Each group of figures has its
// source, with a date. Rates of a machine are those of one direction.
struct Instance {
  std::string cloud;  // aws, azure, google, ...; own: a machine that people own, measured or described
  std::string name;
  std::string gpu;  // of catalog/gpus.csv where its rates are known (known_gpu); empty: no GPU
  int gpus = 0;
  std::optional<std::int64_t> gpu_memory_bytes;  // of one, as the cloud gives it
  std::optional<int> vcpus;
  std::optional<std::int64_t> memory_bytes;
  std::string source;

  std::optional<double> usd_per_h;
  std::optional<double> spot_usd_per_h;
  std::string price_date;
  std::string price_source;

  std::optional<double> network_bytes_per_s;        // for as long as it takes
  std::optional<double> network_burst_bytes_per_s;  // for minutes
  std::optional<double> network_latency_s;
  std::string network_source;

  std::optional<double> storage_bytes_per_s;
  std::optional<double> storage_burst_bytes_per_s;
  std::string storage_source;

  std::optional<GpuLinks> links;
  std::optional<double> link_bytes_per_s;    // of one GPU to its peers, all its links together
  std::optional<double> uplink_bytes_per_s;  // PCIe: what `gpus_per_uplink` of them share
  std::optional<int> gpus_per_uplink;
  std::string links_source;

  std::optional<double> host_bytes_per_s;  // host memory to one GPU: its PCIe slot
  std::string host_source;

  std::optional<double> decode_samples_per_s;  // of one core: JPEG of 500x375 and 110 kB to 224x224
  std::string decode_source;

  std::string date;  // of the row
  bool operator==(const Instance&) const = default;
};

// Error names the figure that is missing, not finite or not above 0. gpus may be 0 where `gpu` is empty.
void check_instance(const Instance& instance);

// Puts what `newer` knows over `known`, a group at a time; what it does not know stays.
void overlay(Instance& known, const Instance& newer);

// Rows, and a sentence for each that was left out.
struct Catalogue {
  std::vector<Instance> instances;
  std::vector<std::string> warnings;
};

}  // namespace stash
