#pragma once

#include <string_view>

#include "stash/launch/protocol/event.h"

namespace stash {

// Where a rank reports. Without a supervisor what it says is lost.
class Events {
 public:
  explicit Events(int fd) : fd_(fd) {}
  void send(const RankEvent& event) const;
  void send_lines(std::string_view lines) const;  // events of another rank, as to_line() made them

 private:
  int fd_;
};

}  // namespace stash
