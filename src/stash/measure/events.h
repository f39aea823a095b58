#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace stash {

// What a rank tells its supervisor, one JSON object a line: {"event": name, ...}. Without a supervisor it is lost.
class Events {
 public:
  explicit Events(int fd) : fd_(fd) {}
  void send(std::string_view name, nlohmann::json content) const;
  void phase(std::string_view text) const;  // what a person may want to know that it is doing
  void warning(std::string_view text) const;

 private:
  int fd_;
};

}  // namespace stash
