#pragma once

#include <string>
#include <vector>

#include "stash/fleet/live/live_machine.h"
#include "stash/fleet/live/load_book.h"

namespace stash {

// Who has the machines. Every call may throw an Error that says why it could not be done; none waits longer than a
// minute. What a call could not do leaves the machines as they were.
class FleetProvider {
 public:
  virtual ~FleetProvider() = default;
  virtual std::string address() const = 0;                   // where requests go
  virtual std::vector<LiveMachine> look() = 0;               // all that there are
  virtual void start(int type, bool spot, int count) = 0;    // this many more; they are ready later
  virtual void stop(int type, bool spot, int count) = 0;     // this many fewer, those that start first; they drain
  virtual void read_load(LoadBook& book, double now_s) = 0;  // adds what came since the last call
  virtual void end(bool keeps_machines) = 0;                 // drains and stops all, unless they are to stay
};

}  // namespace stash
