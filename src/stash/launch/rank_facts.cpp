#include "stash/launch/rank_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "stash/core/units.h"

namespace stash {
namespace {

constexpr double kGoodClock_s = 0.005;  // lateness below it means little anyway

using ByNode = std::map<int, std::vector<const RankFacts*>>;

ByNode by_node(const std::vector<RankFacts>& ranks) {
  ByNode nodes;
  for (const RankFacts& facts : ranks) nodes[facts.node].push_back(&facts);
  return nodes;
}

std::string numbers(const std::vector<const RankFacts*>& ranks) {
  std::vector<int> list;
  for (const RankFacts* facts : ranks) list.push_back(facts->rank);
  return fmt::format("{} {}", list.size() == 1 ? "rank" : "ranks", fmt::join(list, ", "));
}

Check check_nodes(const ByNode& nodes, std::size_t ranks) {
  std::vector<std::string> list;
  std::size_t fewest = ranks, most = 0;
  for (const auto& [node, members] : nodes) {
    list.push_back(fmt::format("{} ({})", members.front()->host, numbers(members)));
    fewest = std::min(fewest, members.size());
    most = std::max(most, members.size());
  }
  Check check{.text = fmt::format("{} ranks on {} {}: {}", ranks, nodes.size(), nodes.size() == 1 ? "node" : "nodes",
                                  fmt::join(list, ", "))};
  if (fewest != most) check.text += "; the numbers differ, which is allowed and seldom intended";
  return check;
}

std::vector<Check> check_devices(const ByNode& nodes) {
  std::vector<Check> checks;
  for (const auto& [node, members] : nodes) {
    std::map<std::string, std::vector<const RankFacts*>> users;
    for (const RankFacts* facts : members) users[facts->device].push_back(facts);
    for (const auto& [device, sharing] : users) {
      if (device.empty() || sharing.size() == 1) continue;
      checks.push_back(
          {.well = false,
           .text = fmt::format("{} on {} share the device {}", numbers(sharing), sharing[0]->host, device),
           .fix = "give each its own: one rank for each GPU, and CUDA_VISIBLE_DEVICES as the launcher sets it"});
    }
  }
  if (checks.empty()) checks.push_back({.text = "no two ranks share an accelerator"});
  return checks;
}

Check check_interfaces(const ByNode& nodes) {
  std::vector<std::string> list;
  bool loopback = false;
  for (const auto& [node, members] : nodes) {
    const std::string& interface = members.front()->interface;
    list.push_back(
        fmt::format("{} on {}", interface.empty() ? "the backend's choice" : interface, members.front()->host));
    loopback = loopback || interface == "lo";
  }
  Check check{.text = fmt::format("collectives use {}", fmt::join(list, ", "))};
  if (loopback && nodes.size() > 1) {
    check.well = false;
    check.fix = "loopback leads nowhere: set MASTER_ADDR to an address that other hosts reach, or GLOO_SOCKET_IFNAME";
  }
  return check;
}

Check check_clocks(const std::vector<RankFacts>& ranks) {
  double worst_s = 0;
  for (const RankFacts& facts : ranks) worst_s = std::max(worst_s, facts.clock_s);
  Check check{.text = fmt::format("clocks can be compared to within {}", format_duration(worst_s))};
  if (worst_s > kGoodClock_s) {
    check.well = false;
    check.fix = "answers between ranks take long (a slow or busy network): late ranks are detected less precisely";
  }
  return check;
}

}  // namespace

std::vector<Check> check_ranks(const std::vector<RankFacts>& ranks) {
  const ByNode nodes = by_node(ranks);
  std::vector<Check> checks{check_nodes(nodes, ranks.size())};
  for (Check& check : check_devices(nodes)) checks.push_back(std::move(check));
  if (ranks.size() > 1) {
    checks.push_back(check_interfaces(nodes));
    checks.push_back(check_clocks(ranks));
  }
  return checks;
}

}  // namespace stash
