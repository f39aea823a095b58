#include "stash/report/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "stash/catalog/instance_csv.h"
#include "stash/catalog/instance_json.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/topology/ring_search.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/report/cells.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

constexpr int kCatalogListSchemaVersion = 1;

std::string gib(const std::optional<std::int64_t>& bytes) {
  return bytes ? fmt::format("{:.4g} GiB", static_cast<double>(*bytes) / (1 << 30)) : kUnknown;
}

std::string gbit_per_s(double bytes_per_s) { return fmt::format("{:.4g} Gbit/s", bytes_per_s * 8e-9); }

std::string bytes_rate(double bytes_per_s) {
  return bytes_per_s >= 1e9 ? fmt::format("{:.4g} GB/s", bytes_per_s * 1e-9)
                            : fmt::format("{:.4g} MB/s", bytes_per_s * 1e-6);
}

// "5 Gbit/s, 25 Gbit/s in bursts"; what is unknown is told where the other is known.
template <class Format>
std::string with_burst(const std::optional<double>& baseline, const std::optional<double>& burst, Format format) {
  if (!baseline && !burst) return kUnknown;
  const std::string base = baseline ? format(*baseline) : "baseline unknown";
  return burst ? fmt::format("{}, {} in bursts", base, format(*burst)) : base;
}

std::string gpus(const Instance& instance) {
  return instance.gpus == 0 ? "no GPU" : fmt::format("{} x {}", instance.gpus, printable(instance.gpu));
}

std::string usd(const std::optional<double>& price) { return price ? fmt::format("{:.2f}", *price) : kUnknown; }

std::string links(const Instance& instance) {
  if (!instance.links) return kUnknown;
  std::string text(to_string(*instance.links));
  if (instance.link_bytes_per_s) text += ", " + bytes_rate(*instance.link_bytes_per_s) + " per GPU";
  if (instance.uplink_bytes_per_s) {
    text += fmt::format(", {} GPUs share {}", *instance.gpus_per_uplink, bytes_rate(*instance.uplink_bytes_per_s));
  }
  return text;
}

std::string network(const Instance& instance) {
  return with_burst(instance.network_bytes_per_s, instance.network_burst_bytes_per_s, gbit_per_s);
}

std::string storage(const Instance& instance) {
  return with_burst(instance.storage_bytes_per_s, instance.storage_burst_bytes_per_s, bytes_rate);
}

// "5, burst 25": a column of its own unit.
std::string network_gbit(const Instance& row) {
  const auto gbit = [](const std::optional<double>& rate) {
    return rate ? fmt::format("{:.4g}", *rate * 8e-9) : kUnknown;
  };
  const std::string base = gbit(row.network_bytes_per_s);
  return row.network_burst_bytes_per_s ? fmt::format("{}, burst {}", base, gbit(row.network_burst_bytes_per_s)) : base;
}

std::string price_dates(const std::string& oldest, const std::string& newest) {
  if (newest.empty()) return "";
  if (oldest == newest) return fmt::format(", prices of {}", printable(newest));
  return fmt::format(", prices of {} to {}", printable(oldest), printable(newest));
}

std::string list_text(const Catalogue& catalogue) {
  std::vector<std::vector<std::string>> table{
      {"cloud", "instance", "GPUs", "GPU memory", "vCPUs", "memory", "network, Gbit/s", "$/h", "spot $/h", "price of"}};
  std::string oldest, newest;
  for (const Instance& row : catalogue.instances) {
    table.push_back({printable(row.cloud), printable(row.name), gpus(row), gib(gpu_memory_bytes(row)),
                     row.vcpus ? std::to_string(*row.vcpus) : kUnknown, gib(row.memory_bytes), network_gbit(row),
                     usd(row.usd_per_h), usd(row.spot_usd_per_h),
                     row.usd_per_h ? printable(row.price_date) : kUnknown});
    if (!row.usd_per_h) continue;
    if (oldest.empty() || row.price_date < oldest) oldest = row.price_date;
    newest = std::max(newest, row.price_date);
  }
  return fmt::format("{} instances{}\n\n{}", catalogue.instances.size(), price_dates(oldest, newest),
                     render_columns(table, std::array<std::size_t, 5>{0, 1, 2, 6, 9}, 0));
}

std::string list_json(const Catalogue& catalogue) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Instance& row : catalogue.instances) rows.push_back(to_json(row));
  return dump_json({{"schema_version", kCatalogListSchemaVersion},
                    {"instances", std::move(rows)},
                    {"warnings", catalogue.warnings}},
                   1) +
         "\n";
}

std::string gpu_rates(const Instance& instance) {
  const Gpu* gpu = known_gpu(instance);
  if (instance.gpus == 0) return kUnknown;
  if (gpu == nullptr) return "unknown: catalog/gpus.csv does not have it, so nothing can be predicted";
  return fmt::format("{:.4g} Top/s in fp32{}, {}", gpu->fp32_ops_per_s * 1e-12,
                     gpu->fp16_ops_per_s ? fmt::format(", {:.4g} in fp16", *gpu->fp16_ops_per_s * 1e-12) : "",
                     bytes_rate(gpu->memory_bytes_per_s));
}

std::string gpu_source(const Instance& instance) {
  const Gpu* gpu = known_gpu(instance);
  return gpu ? fmt::format("{}, {}", gpu->source, gpu->date) : "";
}

// The rings that NCCL finds on the published wiring, if there is one that fits the row.
std::vector<std::string> rings_row(const Instance& instance) {
  const Topology* topology = topology_of(instance);
  if (topology == nullptr || instance.gpus > static_cast<int>(topology->gpus.size())) {
    return {"NCCL's rings", kUnknown, "how its GPUs are wired is not published"};
  }
  const NodeRings rings = find_rings(*topology, instance.gpus);
  return {
      "NCCL's rings",
      fmt::format("{} ({}), {} together", rings.channels, to_string(rings.kind), bytes_rate(rings.ring_bytes_per_s)),
      fmt::format("{}, {}", topology->source, topology->date)};
}

std::string price(const Instance& instance) {
  return fmt::format("{} $/h on demand, {} $/h spot", usd(instance.usd_per_h), usd(instance.spot_usd_per_h));
}

std::string optional_rate(const std::optional<double>& rate) { return rate ? bytes_rate(*rate) : kUnknown; }

std::string decode(const Instance& instance) {
  return instance.decode_samples_per_s ? fmt::format("{:.0f} samples/s per core", *instance.decode_samples_per_s)
                                       : kUnknown;
}

std::string show_text(const Instance& row) {
  std::vector<std::vector<std::string>> table{{"", "", "source"}};
  table.push_back({"GPUs", gpus(row) + (row.gpus ? " of " + gib(gpu_memory_bytes(row)) : ""), printable(row.source)});
  table.push_back({"GPU rates", gpu_rates(row), gpu_source(row)});
  table.push_back({"CPUs", row.vcpus ? fmt::format("{} vCPUs", *row.vcpus) : kUnknown, printable(row.source)});
  table.push_back({"memory", gib(row.memory_bytes), printable(row.source)});
  table.push_back({"GPU links", links(row), printable(row.links_source)});
  if (row.gpus > 1) table.push_back(rings_row(row));
  table.push_back({"host to GPU", optional_rate(row.host_bytes_per_s), printable(row.host_source)});
  table.push_back({"network", network(row), printable(row.network_source)});
  table.push_back({"latency", row.network_latency_s ? format_duration(*row.network_latency_s) : kUnknown,
                   row.network_latency_s ? printable(row.network_source) : ""});
  table.push_back({"storage", storage(row), printable(row.storage_source)});
  table.push_back({"decoding", decode(row), printable(row.decode_source)});
  table.push_back({"price", price(row), printable(row.price_source)});
  return fmt::format("{} ({}): {}, {} $/h\n\n{}", printable(row.name), printable(row.cloud), gpus(row),
                     usd(row.usd_per_h), render_columns(table, std::array<std::size_t, 3>{0, 1, 2}, 0));
}

}  // namespace

std::string render_instances(const Catalogue& catalogue, Format format) {
  if (format == Format::csv) return instances_csv(catalogue.instances);
  return format == Format::json ? list_json(catalogue) : list_text(catalogue);
}

std::string render_instance(const Instance& instance, Format format) {
  if (format == Format::csv) return instances_csv({&instance, 1});
  if (format == Format::text) return show_text(instance);
  nlohmann::json json = to_json(instance);
  json["schema_version"] = kCatalogListSchemaVersion;
  return dump_json(json, 1) + "\n";
}

}  // namespace stash
