#pragma once

#include <optional>
#include <string>

#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/seat_flags.h"
#include "stash/report/report.h"
#include "stash/share/pool/pool_server.h"

namespace CLI {
class App;
}

namespace stash {

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
