#include "link_row.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "stash/catalog/csv.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/link_rates.h"
#include "stash/core/file.h"

namespace stash::bench {
namespace {

constexpr std::size_t kLinkFileLimit = 1 << 20;
constexpr double kLeastBytes = 1e6;
constexpr double kGB = 1e9;

struct LinkMachine {
  std::string_view published, gpu, instance;  // an empty GPU: any
};
constexpr std::array kLinkMachines{
    LinkMachine{"p4d.24xlarge", "", "p4d.24xlarge"},
    LinkMachine{"p4d.24xlarge (from bus ids)", "", "p4d.24xlarge"},
    LinkMachine{"p4de.24xlarge", "", "p4de.24xlarge"},
    LinkMachine{"p5.48xlarge", "", "p5.48xlarge"},
    LinkMachine{"p6-b200.48xlarge", "", "p6-b200.48xlarge"},
    LinkMachine{"p3dn.24xlarge", "", "p3dn.24xlarge"},
    LinkMachine{"8x H200 node", "", "dgxh200"},
    LinkMachine{"A100 node (8 GPUs)", "", "dgxa100-40"},
    LinkMachine{"8x A100 SXM server", "", "dgxa100-80"},
    LinkMachine{"ND96 A100 v4", "", "Standard_ND96asr_v4"},
    LinkMachine{"ND96 H200 v5", "", "Standard_ND96isr_H200_v5"},
    LinkMachine{"H100 bare metal", "", "dgxh100"},
    LinkMachine{"H100 node", "", "dgxh100"},
    LinkMachine{"H100 cluster", "", "dgxh100"},
    LinkMachine{"n1 + 1x V100", "", "n1-standard-16-v100x1"},
    LinkMachine{"n1 + 8x V100", "", "n1-standard-96-v100x8"},
    LinkMachine{"4x V100-PCIE-32GB, all SYS", "", "4x-v100-pcie-32"},
    LinkMachine{"H100 PCIe pair with NVLink bridge", "", "8x-h100-pcie-nvlink"},
};

using LinkFields = std::map<std::string, std::string>;

std::optional<double> number_of(const LinkFields& row, const char* field) {
  const std::string& text = row.at(field);
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) return std::nullopt;
  return std::stod(text);
}

// From the time where it is published, else from the rate.
std::optional<double> seconds_of_row(const LinkFields& row, double bytes, int gpus) {
  if (const auto time_us = number_of(row, "time_us"); time_us && *time_us > 0) return *time_us * 1e-6;
  if (const auto rate = number_of(row, "algbw_GBps"); rate && *rate > 0) return bytes / (*rate * kGB);
  const auto bus = number_of(row, "busbw_GBps");
  if (!bus || *bus <= 0) return std::nullopt;
  return bytes * 2 * (gpus - 1) / gpus / (*bus * kGB);
}

bool says(const LinkFields& row, std::string_view text) { return row.at("note").find(text) != std::string::npos; }

WhatIf asked_for(const LinkFields& row) {
  WhatIf what_if;
  if (says(row, "ring instead of tree")) what_if.all_reduce = AllReduce::ring;
  return what_if;
}

// A row over another network than jobs on this machine use.
bool is_other_network(const LinkFields& row, const Instance& instance) {
  const bool tcp = row.at("transport").find("tcp") != std::string::npos;
  return row.at("nodes") != "1" && tcp != (network_transport(instance) == Transport::tcp);
}

}  // namespace

std::vector<LinkRow> read_link_rows(const std::filesystem::path& file) {
  const CsvTable table = parse_csv(read_file(file, kLinkFileLimit), file.string());
  std::vector<LinkRow> rows;
  for (const CsvRow& csv_row : table.rows) {
    LinkFields row;
    for (std::size_t i = 0; i < table.header.size(); ++i) row[table.header[i]] = csv_row.fields[i];
    const auto machine = std::ranges::find(kLinkMachines, row.at("machine"), &LinkMachine::published);
    const auto gpus = number_of(row, "gpus"), nodes = number_of(row, "nodes");
    if (machine == kLinkMachines.end() || !row.at("operation").starts_with("all_reduce") || !gpus || !nodes) continue;
    const double bytes = number_of(row, "size_bytes").value_or(0);
    const Instance& instance = find_instance(machine->instance);
    if (bytes < kLeastBytes || says(row, "NVLS_ENABLE=0") || is_other_network(row, instance)) continue;
    const int count = static_cast<int>(*gpus);
    if (const auto s = seconds_of_row(row, bytes, count)) {
      rows.push_back({&instance, count, static_cast<int>(*nodes), bytes, *s, asked_for(row)});
    }
  }
  return rows;
}

}  // namespace stash::bench
