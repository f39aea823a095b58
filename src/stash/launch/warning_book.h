#pragma once

#include <set>
#include <string>
#include <vector>

namespace stash {

// Warnings of ranks: each is kept once, however many ranks have it.
class WarningBook {
 public:
  void add(int rank, std::string text);
  // In the order in which they came; one that some of the job's `ranks` do not have names those that have it.
  std::vector<std::string> lines(int ranks) const;

 private:
  struct Entry {
    std::string text;
    std::set<int> ranks;
  };
  std::vector<Entry> entries_;
};

}  // namespace stash
