#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stash {

// A table as wide as its cells; columns in `left` are words and start at the left. UTF-8 counts as what is seen.
class Columns {
 public:
  Columns(std::vector<std::string> header, std::vector<std::size_t> left);
  void add(std::vector<std::string> row);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_;
};

}  // namespace stash
