#include "stash/catalog/link_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "stash/catalog/csv.h"
#include "stash/catalog/embedded_csv.h"
#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, kTransports> kTransportNames{
    "nvswitch",   "nvls", "nvlink",   "pcie", "host", "server", "gather",
    "infiniband", "efa",  "efa_host", "ena",  "tcp",  "grpc"};
constexpr std::array<std::string_view, 13> kLinkRateColumns{
    "transport",        "machine",    "reached_ratio",       "call_s", "hop_s", "ramp_ratio", "overlap_ratio",
    "contention_ratio", "wait_ratio", "wait_doubling_ratio", "spread", "rows",  "source"};

// AWS joins machines with less than this over TCP; with more, jobs use its own transport, EFA.
constexpr double kLeastEfaBytes_per_s = 12.5e9;
// For each GPU: from p4d on, cards read the GPUs' memory (GPUDirect RDMA).
constexpr double kLeastDirectBytes_per_s = 6.25e9;

class LinkRateReader {
 public:
  LinkRateReader(const CsvRow& row, std::string_view source) : row_(row), source_(source) {}

  LinkRateRow read() {
    LinkRateRow read;
    read.transport = transport();
    read.machine = next();
    for (double* value : {&read.rates.reached_ratio, &read.rates.call_s, &read.rates.hop_s, &read.rates.ramp_ratio,
                          &read.rates.overlap_ratio, &read.rates.contention_ratio, &read.rates.wait_ratio,
                          &read.rates.wait_doubling_ratio, &read.rates.spread}) {
      *value = number();
    }
    read.rows = static_cast<int>(number());
    read.source = next();
    if (!(read.rates.reached_ratio > 0)) fail(2, "must be above 0");
    return read;
  }

 private:
  [[noreturn]] void fail(std::size_t column, std::string_view problem) const {
    throw Error(fmt::format("{} line {}: {} {}", source_, row_.line, kLinkRateColumns[column], problem));
  }

  const std::string& next() { return row_.fields[at_++]; }

  Transport transport() {
    const auto found = std::ranges::find(kTransportNames, next());
    if (found == kTransportNames.end()) fail(0, fmt::format("is '{}'", row_.fields[0]));
    return static_cast<Transport>(found - kTransportNames.begin());
  }

  double number() {
    const std::string& text = next();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || std::isinf(value)) {
      fail(at_ - 1, fmt::format("is '{}': it takes a number, 0 or more", text));
    }
    return value;
  }

  const CsvRow& row_;
  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace

double LinkRates::waits_ratio(int peers) const {
  return peers < 2 ? 0 : wait_ratio + wait_doubling_ratio * std::log2(peers / 2.0);
}

std::string_view to_string(Transport transport) { return kTransportNames[static_cast<std::size_t>(transport)]; }

std::vector<LinkRateRow> parse_link_rates(std::string_view text, std::string_view source) {
  const CsvTable table = parse_csv(text, source);
  if (!std::ranges::equal(table.header, kLinkRateColumns)) {
    throw Error(fmt::format("{}: the columns are not those of catalog/link_rates.csv", source));
  }
  std::vector<LinkRateRow> rows;
  for (const CsvRow& row : table.rows) rows.push_back(LinkRateReader(row, source).read());
  return rows;
}

std::span<const LinkRateRow> link_rate_table() {
  static const std::vector<LinkRateRow> rows = parse_link_rates(kLinkRatesCsv, "catalog/link_rates.csv");
  return rows;
}

const LinkRateRow& link_rates(Transport transport, std::string_view machine) {
  const std::span<const LinkRateRow> rows = link_rate_table();
  const auto is = [&](std::string_view name) {
    return [&, wanted = lower_case(name)](const LinkRateRow& row) {
      return row.transport == transport && lower_case(row.machine) == wanted;
    };
  };
  const auto own = machine.empty() ? rows.end() : std::ranges::find_if(rows, is(machine));
  return own != rows.end() ? *own : *std::ranges::find_if(rows, is(""));
}

Transport network_transport(const Instance& instance) {
  const double rate = instance.network_bytes_per_s.value_or(0);
  const bool fast = rate >= kLeastEfaBytes_per_s;
  if (instance.cloud == "aws" && !fast) return Transport::ena;
  if (instance.cloud == "aws")
    return rate / instance.gpus >= kLeastDirectBytes_per_s ? Transport::efa : Transport::efa_host;
  if (instance.network_source.find("InfiniBand") != std::string::npos) return Transport::infiniband;
  return instance.cloud == "own" && fast ? Transport::infiniband : Transport::tcp;
}

}  // namespace stash
