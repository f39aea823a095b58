#pragma once

#include <optional>
#include <string>

#include "stash/cli/flags/format_flag.h"
#include "stash/launch/pool/pool_seat.h"
#include "stash/report/report.h"
#include "stash/share/pool/pool_server.h"

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

// How a pool shares.
class PoolFlags {
 public:
  void add_to(CLI::App& app);
  PoolServerOptions resolve(std::optional<int> cores_of_file = std::nullopt) const;

 private:
  std::optional<int> cores_;
  std::string workers_per_core_ = "1";
  std::string objective_ = "throughput";
  std::string policy_ = "need";
  std::optional<std::string> measure_;
  std::string report_ = "1s";
  bool ignore_load_ = false;
};

std::string render_pool(const PoolState& state, Format format, const ReportOptions& options);

}  // namespace stash
