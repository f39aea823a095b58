#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stash/catalog/instance.h"

namespace stash::bench {

// A published all-reduce on a machine that the catalogue has.
struct LinkRow {
  const Instance* instance = nullptr;
  int gpus = 0;
  int nodes = 1;
  double bytes = 0;
  double s = 0;
};

// All-reduces of 1 MB and more in the file.
std::vector<LinkRow> read_link_rows(const std::filesystem::path& file);

}  // namespace stash::bench
