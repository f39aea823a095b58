#include "stash/report/topology_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "stash/core/words.h"

namespace stash {
namespace {

std::string_view in_words(SmiRelation relation) {
  switch (relation) {
    case SmiRelation::nvlink:
      return "NVLinks";
    case SmiRelation::pix:
      return "one PCIe switch";
    case SmiRelation::pxb:
      return "several PCIe switches";
    case SmiRelation::phb:
      return "the host bridge";
    case SmiRelation::node:
      return "host bridges of one socket";
    case SmiRelation::sys:
      return "across sockets";
    default:
      return "the same";
  }
}

std::string rings_line(const TopologyFindings& findings) {
  const NodeRings& rings = findings.rings;
  if (findings.gpus < 2) return "one GPU: NCCL needs no ring\n";
  return fmt::format("{} GPUs: NCCL finds {} ring{} ({}), {:.4g} GB/s together by the data sheets{}\n", findings.gpus,
                     rings.channels, rings.channels == 1 ? "" : "s", to_string(rings.kind),
                     rings.ring_bytes_per_s * 1e-9,
                     findings.rates_are_assumed ? " of PCIe 3 and NVLink 2, since the GPU is not known" : "");
}

std::string ring_lines(const NodeRings& rings) {
  if (rings.channels == 0) return "";
  std::string text = fmt::format("  ring: {} and back\n", fmt::join(rings.order, " "));
  if (rings.slowest_pair) {
    text += fmt::format("  its slowest hop: GPU {} to GPU {}\n", rings.slowest_pair->first, rings.slowest_pair->second);
  }
  text += fmt::format("  why: {}\n", rings.why);
  if (rings.nvls) text += "  the NVSwitch adds up (NVLS): large all-reduces are faster than the rings\n";
  return text;
}

std::string pair_line(const std::optional<GpuPair>& pair) {
  if (!pair) return "";
  return fmt::format("slowest pair: GPU {} and GPU {}, {} ({})\n", pair->first, pair->second,
                     to_string(pair->connection), in_words(pair->connection.relation));
}

std::string comparison_line(const TopologyFindings& findings) {
  if (!findings.faults.empty() || !findings.type) return "";
  return findings.type_is_published
             ? fmt::format("no NVLink is missing that {} should have\n", with_article(*findings.type))
             : fmt::format("how {} is wired is not published: only its GPUs were counted\n",
                           with_article(*findings.type));
}

std::string fault_lines(const TopologyFindings& findings) {
  if (findings.faults.empty()) return "";
  std::string text = findings.type
                         ? fmt::format("this machine has less than {} should have", with_article(*findings.type))
                         : std::string("this machine uses less than its GPUs offer");
  text += "; for a support ticket:\n";
  for (const std::string& fault : findings.faults) text += fmt::format("  {}\n", fault);
  return text + "\n";
}

nlohmann::json pair_json(const std::optional<GpuPair>& pair) {
  if (!pair) return nullptr;
  return {{"first", pair->first}, {"second", pair->second}, {"connection", to_string(pair->connection)}};
}

nlohmann::json rings_json(const NodeRings& rings) {
  if (rings.channels == 0) return nullptr;
  nlohmann::json slowest;
  if (rings.slowest_pair) slowest = {rings.slowest_pair->first, rings.slowest_pair->second};
  return {{"kind", to_string(rings.kind)},
          {"channels", rings.channels},
          {"ring_bytes_per_s", rings.ring_bytes_per_s},
          {"peer_to_peer", rings.peer_to_peer},
          {"nvls", rings.nvls},
          {"order", rings.order},
          {"slowest_hop", std::move(slowest)},
          {"why", rings.why}};
}

}  // namespace

std::string topology_text(const TopologyFindings& findings) {
  return fault_lines(findings) + rings_line(findings) + ring_lines(findings.rings) + pair_line(findings.slowest_pair) +
         comparison_line(findings);
}

nlohmann::json topology_json(const TopologyFindings& findings) {
  return {{"gpus", findings.gpus},
          {"rings", rings_json(findings.rings)},
          {"slowest_pair", pair_json(findings.slowest_pair)},
          {"rates_are_assumed", findings.rates_are_assumed},
          {"type", findings.type ? nlohmann::json(*findings.type) : nlohmann::json()},
          {"type_is_published", findings.type_is_published},
          {"faults", findings.faults}};
}

}  // namespace stash
