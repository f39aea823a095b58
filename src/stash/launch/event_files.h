#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace stash {

// What ranks that somebody else started report: one file for each in a common folder, to which it adds lines.
class EventFiles {
 public:
  explicit EventFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Calls `on_line` with each line that has come since the last time; `file` tells the ranks apart.
  void read(const std::function<void(const std::string& file, std::string_view line)>& on_line);

  // How many processes left this mark, one of shared_names.h.
  int count_marks(std::string_view mark) const;

 private:
  struct Tail {
    std::uintmax_t offset = 0;
    std::string partial;
  };

  std::filesystem::path folder_;
  std::map<std::string, Tail> tails_;
};

}  // namespace stash
