#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/catalog/instance.h"

namespace stash {

// What carries a collective: the first seven inside a node, the others between nodes. NVLS: NVSwitches that add up.
// Server: the host's CPUs sum. Gather: one GPU sums, which the others reach through the host's memory. gRPC: between
// parameter servers. ENA: AWS's TCP, which limits each connection. EFA: its own, straight from GPU to card, or by way
// of the host.
enum class Transport { nvswitch, nvls, nvlink, pcie, host, server, gather, infiniband, efa, efa_host, ena, tcp, grpc };
inline constexpr std::size_t kTransports = 13;
std::string_view to_string(Transport transport);

// What collectives reach and cost on a transport, fitted to published measurements; docs/prediction.md has the model.
struct LinkRates {
  double reached_ratio = 1;        // of the data sheet's rate
  double call_s = 0;               // of a call, whatever its size
  double hop_s = 0;                // of a step from one rank, or node, to the next
  double ramp_ratio = 0;           // of the geometric mean of latency and transfer: filling the pipeline
  double overlap_ratio = 0;        // share of the time hidden behind the backward pass that is lost all the same
  double contention_ratio = 0;     // of the computing of a node's ranks beside each other: power, memory, the host
  double wait_ratio = 0;           // of the computing, that two ranks, or nodes, lose to waiting for each other
  double wait_doubling_ratio = 0;  // the same for each doubling of their number beyond two
  double spread = 0;               // of the logarithm of a rate on a machine that the fit has not seen

  double waits_ratio(int peers) const;  // of so many ranks or nodes that wait for each other
};

// The rates of a transport, with what was published for a machine put over them.
struct LinkRateRow {
  Transport transport = Transport::pcie;
  std::string machine;  // of the catalogue; empty: the fit over all machines
  LinkRates rates;
  int rows = 0;  // measurements behind it
  std::string source;
};

// catalog/link_rates.csv, which is part of the program.
std::span<const LinkRateRow> link_rate_table();

// Rows in the form of catalog/link_rates.csv. Error names the line and what is wrong with it.
std::vector<LinkRateRow> parse_link_rates(std::string_view text, std::string_view source);

// The row of the machine, else that of the transport.
const LinkRateRow& link_rates(Transport transport, std::string_view machine = {});

// What joins machines of this kind, as far as the catalogue tells.
Transport network_transport(const Instance& instance);

}  // namespace stash
