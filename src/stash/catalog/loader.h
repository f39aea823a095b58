#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// A way to load images, and the CPU time that it needs for a sample over that of Stash's own loader, with a 95 %
// interval.
struct Loader {
  std::string name;
  double cpu_ratio = 1;
  double cpu_low_ratio = 1;
  double cpu_high_ratio = 1;
  std::string source;
  std::string date;
};

inline constexpr std::string_view kOwnLoader = "stash";

// The loaders of catalog/loaders.csv, which is part of the program.
std::span<const Loader> loader_table();

// UsageError names the nearest; the result lives as long as the program.
const Loader& find_loader(std::string_view name);

// "torchvision, 3.28 times (3.16 to 3.4) the CPU time of Stash's own loader", or "Stash's own loader".
std::string describe(const Loader& loader);

// Rows in the form of catalog/loaders.csv; `source` names the text. Error names the line at fault.
std::vector<Loader> parse_loaders(std::string_view text, std::string_view source);

}  // namespace stash
