#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stash {

// Rows that are left out of a table. An instance may have a row in every zone: one sentence tells of all that have the
// same fault, and the number of sentences is bounded.
class RowFaults {
 public:
  void add(std::size_t place, std::string_view name, std::string_view problem);
  // By place, "vms.csv line 3: ..."; `unit` is what places count.
  std::vector<std::string> sentences(std::string_view source, std::string_view unit = "line") const;

 private:
  struct Rows {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  std::unordered_map<std::string, Rows> faults_;
};

}  // namespace stash
