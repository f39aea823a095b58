#pragma once

#include <string>

namespace stash {

// Where the ranks of several processes meet.
struct MeetingPoint {
  std::string address;  // of the host of rank 0; empty: nobody says
  int port = 0;
  bool is_served = false;  // the launcher itself listens there
  std::string attempt;     // what tells it from earlier attempts whose traces may be left there; empty: there is one

  bool operator==(const MeetingPoint&) const = default;
};

}  // namespace stash
