#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stash/serve/batching/request_times.h"
#include "stash/serve/load/load_result.h"
#include "stash/serve/model/batch_times.h"

namespace stash {

// A part of the mean latency, with its 95 % interval over the windows, and quantiles over the requests.
struct BenchPart {
  double s = 0;
  std::optional<double> low_s{}, high_s{};
  double p50_s = 0;
  double p90_s = 0;
  double p99_s = 0;
};

// What a switch saves of the mean latency, with its 95 % interval over the rounds; nullopt: not measured here.
struct BenchPrimitive {
  std::string name;
  std::string setting;
  std::string against;
  std::optional<double> saves_s{}, low_s{}, high_s{};
};

// The ledger of a request: what `stash serve bench` finds, and its file holds.
struct ServeBench {
  std::string model{};
  std::string platform{};
  std::string settings{};  // in words: that the latency and the parts are of
  std::optional<double> objective_s{};
  double rate_per_s = 0;
  double window_s = 0;
  int rounds = 0;
  // Of the windows with those settings.
  std::size_t requests = 0;
  double mean_s = 0, p50_s = 0, p90_s = 0, p99_s = 0;
  double throughput_per_s = 0;
  std::optional<double> refused_ratio{}, failed_ratio{};
  std::optional<double> within_objective_ratio{};
  std::optional<double> mean_batch{};
  // By RequestPart; absent: does not apply. Their sum is mean_s.
  std::array<std::optional<BenchPart>, kRequestParts> parts{};
  std::vector<BenchPrimitive> primitives{};
  std::vector<BatchTime> batches{};
  double client_late_s = 0;
  std::string why_rejected{};  // empty: it was not
};

}  // namespace stash
