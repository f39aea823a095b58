#pragma once

#include <string>
#include <vector>

namespace stash {

// What a rank says of itself, for those who wonder why a job does not start.
struct RankFacts {
  int rank = 0;
  std::string host;
  int node = 0;
  std::string device;     // what tells it from others of the host: a GPU's id; empty: the CPU
  std::string interface;  // that its collectives use; empty: the backend's choice
  double clock_s = 0;     // how far its clock may be off after aligning
  bool operator==(const RankFacts&) const = default;
};

// One thing that was looked at; `fix` says what to do where it is not well.
struct Check {
  bool well = true;
  std::string text;
  std::string fix{};
};

// That each rank has a device of its own, that nodes have as many ranks, that clocks can be compared.
std::vector<Check> check_ranks(const std::vector<RankFacts>& ranks);

}  // namespace stash
