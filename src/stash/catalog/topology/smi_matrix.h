#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// What `nvidia-smi topo -m` says of two devices, the nearest first. Older drivers write SOC for SYS.
enum class SmiRelation { self, nvlink, pix, pxb, phb, node, sys };

struct SmiCell {
  SmiRelation relation = SmiRelation::self;
  int nvlinks = 0;  // of relation nvlink
  bool operator==(const SmiCell&) const = default;
};
std::string to_string(const SmiCell& cell);  // "NV2", "SYS"

// The matrix of `nvidia-smi topo -m`: GPUs first, then network cards.
struct SmiMatrix {
  std::size_t gpus = 0;
  std::vector<std::string> cards;         // names of the network cards
  std::vector<SmiCell> cells;             // a row for each GPU, a column for each device
  std::vector<std::string> cpu_affinity;  // of each GPU, as printed; empty: not printed

  const SmiCell& at(std::size_t gpu, std::size_t device) const { return cells[gpu * (gpus + cards.size()) + device]; }
};

// The matrix in what the command printed, with or without legend, prompt and escape sequences around it. `source` names
// the text. Error names the line that is at fault, or says that there is no matrix.
SmiMatrix parse_smi_matrix(std::string_view text, std::string_view source);

}  // namespace stash
