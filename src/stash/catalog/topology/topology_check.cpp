#include "stash/catalog/topology/topology_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/catalog/topology/smi_topology.h"
#include "stash/catalog/topology/topology.h"
#include "stash/core/words.h"

namespace stash {
namespace {

constexpr std::size_t kMostSentencesOfAKind = 8;  // what is wrong in more pairs has one cause

std::string plural(int count, std::string_view word) {
  return fmt::format("{} {}{}", count == 0 ? "no" : std::to_string(count), word, count == 1 ? "" : "s");
}

// The farther, the slower; of NVLinks, the fewer.
std::pair<SmiRelation, int> slowness(const SmiCell& cell) { return {cell.relation, -cell.nvlinks}; }

std::optional<GpuPair> slowest_of(const SmiMatrix& matrix) {
  std::optional<GpuPair> slowest;
  bool differ = false;
  for (std::size_t a = 0; a < matrix.gpus; ++a) {
    for (std::size_t b = a + 1; b < matrix.gpus; ++b) {
      const SmiCell& cell = matrix.at(a, b);
      differ = differ || (slowest && cell != slowest->connection);
      if (!slowest || slowness(cell) > slowness(slowest->connection)) slowest = GpuPair{a, b, cell};
    }
  }
  return differ ? slowest : std::nullopt;
}

// NVLinks between each pair, by what is found and what the type has.
struct PairLinks {
  std::size_t first, second;
  int found, expected;
};

std::vector<PairLinks> links_of_pairs(const SmiMatrix& matrix, const Topology& expected) {
  std::vector<PairLinks> pairs;
  for (std::size_t a = 0; a < matrix.gpus; ++a) {
    for (std::size_t b = a + 1; b < matrix.gpus; ++b) {
      const int links =
          expected.switch_links_per_gpu.value_or(nvlinks_between(expected, static_cast<int>(a), static_cast<int>(b)));
      pairs.push_back({a, b, matrix.at(a, b).nvlinks, links});
    }
  }
  return pairs;
}

// GPUs may be numbered in another order than in the published wiring; then no single pair is at fault.
bool is_same_in_another_order(const std::vector<PairLinks>& pairs) {
  std::vector<int> found, expected;
  for (const PairLinks& pair : pairs) {
    found.push_back(pair.found);
    expected.push_back(pair.expected);
  }
  std::ranges::sort(found);
  std::ranges::sort(expected);
  return found == expected;
}

std::string missing_links(const SmiMatrix& matrix, const PairLinks& pair, const std::string& type) {
  return fmt::format("GPU {} and GPU {} have {} between them (nvidia-smi topo -m: {}); {} has {} there.", pair.first,
                     pair.second, plural(pair.found, "NVLink"), to_string(matrix.at(pair.first, pair.second)),
                     with_article(type), pair.expected);
}

std::string missing_in_all(const std::vector<PairLinks>& pairs, const std::string& type) {
  int found = 0, expected = 0;
  for (const PairLinks& pair : pairs) {
    found += pair.found;
    expected += pair.expected;
  }
  return fmt::format("The GPUs have {} between them in all; those of {} have {}.", plural(found, "NVLink"),
                     with_article(type), expected);
}

// All pairs of a GPU that reaches a switch over too few links are alike: one sentence for each GPU.
std::vector<std::string> missing_at_switch(const SmiMatrix& matrix, int expected, const std::string& type) {
  std::vector<std::string> sentences;
  for (std::size_t gpu = 0; gpu < matrix.gpus; ++gpu) {
    int most = 0;
    for (std::size_t other = 0; other < matrix.gpus; ++other) most = std::max(most, matrix.at(gpu, other).nvlinks);
    if (most >= expected) continue;
    sentences.push_back(fmt::format("GPU {} reaches the other GPUs over {}; each GPU of {} has {}.", gpu,
                                    plural(most, "NVLink"), with_article(type), expected));
  }
  return sentences;
}

std::vector<std::string> missing_between_pairs(const SmiMatrix& matrix, const Topology& expected,
                                               const std::string& type) {
  const std::vector<PairLinks> pairs = links_of_pairs(matrix, expected);
  if (is_same_in_another_order(pairs)) return {};
  if (std::ranges::any_of(pairs, [](const PairLinks& pair) { return pair.found > pair.expected; })) {
    int missing = 0;
    for (const PairLinks& pair : pairs) missing += pair.expected - pair.found;
    return missing > 0 ? std::vector{missing_in_all(pairs, type)} : std::vector<std::string>{};
  }
  std::vector<std::string> sentences;
  for (const PairLinks& pair : pairs) {
    if (pair.found < pair.expected) sentences.push_back(missing_links(matrix, pair, type));
  }
  return sentences;
}

void add_bounded(std::vector<std::string>& sentences, std::vector<std::string> more) {
  const std::size_t left_out = more.size() - std::min(more.size(), kMostSentencesOfAKind);
  more.resize(more.size() - left_out);
  std::ranges::move(more, std::back_inserter(sentences));
  if (left_out > 0) sentences.push_back(fmt::format("There are {} more like these.", left_out));
}

// What the missing links cost. With fewer GPUs than the type has, other rings are to be expected.
void add_slower_rings(TopologyFindings& findings, const Topology& expected, const Instance& type) {
  if (findings.faults.empty() || static_cast<int>(findings.gpus) < type.gpus) return;
  const NodeRings rings = find_rings(expected, type.gpus);
  if (!(findings.rings.ring_bytes_per_s < rings.ring_bytes_per_s)) return;
  findings.faults.push_back(fmt::format("NCCL's rings carry {:.4g} GB/s at best; on {} they carry {:.4g} GB/s.",
                                        findings.rings.ring_bytes_per_s * 1e-9, with_article(type.name),
                                        rings.ring_bytes_per_s * 1e-9));
}

void compare(TopologyFindings& findings, const SmiMatrix& matrix, const Instance& type) {
  findings.type = type.name;
  if (static_cast<int>(matrix.gpus) < type.gpus) {
    findings.faults.push_back(fmt::format("The machine shows {}; {} has {}, unless a container hides some.",
                                          plural(static_cast<int>(matrix.gpus), "GPU"), with_article(type.name),
                                          type.gpus));
  }
  const Topology* expected = topology_of(type);
  if (expected == nullptr || matrix.gpus > expected->gpus.size()) return;
  findings.type_is_published = true;
  add_bounded(findings.faults, expected->switch_links_per_gpu
                                   ? missing_at_switch(matrix, *expected->switch_links_per_gpu, type.name)
                                   : missing_between_pairs(matrix, *expected, type.name));
  add_slower_rings(findings, *expected, type);
}

std::vector<std::string> narrow_slots(const std::vector<GpuSlot>& slots) {
  std::vector<std::string> sentences;
  for (const GpuSlot& slot : slots) {
    if (slot.lanes >= slot.most_lanes) continue;
    sentences.push_back(
        fmt::format("The GPU at PCIe address {} uses {} of its {} lanes.", slot.address, slot.lanes, slot.most_lanes));
  }
  return sentences;
}

}  // namespace

TopologyFindings examine(const MachineWiring& wiring) {
  TopologyFindings findings;
  findings.gpus = wiring.matrix.gpus;
  findings.slowest_pair = slowest_of(wiring.matrix);
  findings.rates_are_assumed = wiring.gpu == nullptr;
  const Topology topology = topology_of_matrix(wiring.matrix, wiring.gpu);
  findings.rings = find_rings(topology, static_cast<int>(topology.gpus.size()));
  if (wiring.type != nullptr) compare(findings, wiring.matrix, *wiring.type);
  add_bounded(findings.faults, narrow_slots(wiring.slots));
  return findings;
}

}  // namespace stash
