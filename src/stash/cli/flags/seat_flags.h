#pragma once

#include <optional>
#include <string>

#include "stash/launch/pool/pool_seat.h"

namespace CLI {
class App;
}

namespace stash {

// Where the pool listens.
class SocketFlag {
 public:
  void add_to(CLI::App& app);
  std::string get() const;  // an absolute path

 private:
  std::string given_;
};

// What a job that joins a pool says of itself.
class SeatFlags {
 public:
  void add_to(CLI::App& app);
  void add_samples(CLI::App& app);  // of a script, which does not say itself how many it has left
  PoolSeat resolve(const std::string& default_name) const;  // UsageError names the flag at fault

 private:
  SocketFlag socket_;
  std::string name_;
  int min_workers_ = 1;
  std::optional<int> max_workers_;
  std::optional<double> samples_;
};

}  // namespace stash
