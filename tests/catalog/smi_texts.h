#pragma once

#include <string>

namespace stash {

// Matrices as published; sources in catalog/topologies.

// pytorch/pytorch benchmarks/distributed/ddp: eight V100 in a hybrid cube mesh.
inline const std::string kCubeMeshText =
    "        GPU0    GPU1    GPU2    GPU3    GPU4    GPU5    GPU6    GPU7    CPU Affinity\n"
    "GPU0     X      NV1     NV1     NV2     NV2     SYS     SYS     SYS     0-19,40-59\n"
    "GPU1    NV1      X      NV2     NV1     SYS     NV2     SYS     SYS     0-19,40-59\n"
    "GPU2    NV1     NV2      X      NV2     SYS     SYS     NV1     SYS     0-19,40-59\n"
    "GPU3    NV2     NV1     NV2      X      SYS     SYS     SYS     NV1     0-19,40-59\n"
    "GPU4    NV2     SYS     SYS     SYS      X      NV1     NV1     NV2     20-39,60-79\n"
    "GPU5    SYS     NV2     SYS     SYS     NV1      X      NV2     NV1     20-39,60-79\n"
    "GPU6    SYS     SYS     NV1     SYS     NV1     NV2      X      NV2     20-39,60-79\n"
    "GPU7    SYS     SYS     SYS     NV1     NV2     NV1     NV2      X      20-39,60-79\n"
    "\n"
    "Legend:\n"
    "\n"
    "  X    = Self\n"
    "  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)\n"
    "  NV#  = Connection traversing a bonded set of # NVLinks\n";

// lattice/quda issue 669: two trees of switches, and a network card. Tabs, as the command prints them.
inline const std::string kTwoTreesText =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\tmlx5_0\tCPU Affinity\n"
    "GPU0\t X \tPIX\tPXB\tPXB\tSYS\tSYS\tSYS\tSYS\tSYS\t0-13\n"
    "GPU1\tPIX\t X \tPXB\tPXB\tSYS\tSYS\tSYS\tSYS\tSYS\t0-13\n"
    "GPU2\tPXB\tPXB\t X \tPIX\tSYS\tSYS\tSYS\tSYS\tSYS\t0-13\n"
    "GPU3\tPXB\tPXB\tPIX\t X \tSYS\tSYS\tSYS\tSYS\tSYS\t0-13\n"
    "GPU4\tSYS\tSYS\tSYS\tSYS\t X \tPIX\tPXB\tPXB\tPHB\t14-27\n"
    "GPU5\tSYS\tSYS\tSYS\tSYS\tPIX\t X \tPXB\tPXB\tPHB\t14-27\n"
    "GPU6\tSYS\tSYS\tSYS\tSYS\tPXB\tPXB\t X \tPIX\tPHB\t14-27\n"
    "GPU7\tSYS\tSYS\tSYS\tSYS\tPXB\tPXB\tPIX\t X \tPHB\t14-27\n"
    "mlx5_0\tSYS\tSYS\tSYS\tSYS\tPHB\tPHB\tPHB\tPHB\t X \t\n";

// `gpus` that are all connected alike: NV6 on a DGX-2, NV12 on a DGX A100, SYS for 4090s. The header is underlined, as
// on a terminal.
inline std::string all_alike_text(int gpus, const std::string& connection) {
  std::string text = "\t\x1b[4m";
  for (int gpu = 0; gpu < gpus; ++gpu) text += "GPU" + std::to_string(gpu) + "\t";
  text += "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n";
  for (int gpu = 0; gpu < gpus; ++gpu) {
    text += "GPU" + std::to_string(gpu);
    for (int other = 0; other < gpus; ++other) text += "\t" + (gpu == other ? std::string(" X ") : connection);
    text += "\t0-63\t0\t\tN/A\n";
  }
  return text;
}

// With one connection, both ways, as another.
inline std::string with_connection(std::string text, int a, int b, const std::string& connection) {
  for (const auto& [row, column] : {std::pair(a, b), std::pair(b, a)}) {
    std::size_t at = text.find("\nGPU" + std::to_string(row)) + 1;
    for (int i = 0; i <= column; ++i) at = text.find_first_not_of(" \t", text.find_first_of(" \t", at));
    text.replace(at, text.find_first_of(" \t", at) - at, connection);
  }
  return text;
}

}  // namespace stash
