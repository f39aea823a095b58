#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/share/allocate.h"

namespace stash {

// learning: too little was reported to say what workers bring; sharing: gets workers by need; silent: reports nothing
// any more, though it is there; doubtful: what it reports cannot be true; left, died: gone.
enum class PoolJobState { learning, sharing, silent, doubtful, left, died };
std::string_view to_string(PoolJobState state);
constexpr std::array<PoolJobState, 6> every(PoolJobState) {
  return {PoolJobState::learning, PoolJobState::sharing, PoolJobState::silent,
          PoolJobState::doubtful, PoolJobState::left,    PoolJobState::died};
}

// need: allocate(); even: equally many for each job, to compare with.
enum class PoolPolicy { need, even };
std::string_view to_string(PoolPolicy policy);
constexpr std::array<PoolPolicy, 2> every(PoolPolicy) { return {PoolPolicy::need, PoolPolicy::even}; }
PoolPolicy parse_pool_policy(std::string_view name);  // UsageError names the nearest

// A job over a while, for its time line.
struct PoolPoint {
  double at_s = 0;  // end, since the pool's start
  double lasted_s = 0;
  int workers = 0;  // of all ranks, at the end
  double per_s = 0;
  double waiting_ratio = 0;  // of the time, by the training loop
};

struct PoolJob {
  std::string name;
  PoolJobState state = PoolJobState::learning;
  std::vector<int> pids;
  int ranks = 0;    // on this machine
  int workers = 0;  // of all ranks
  int even_workers = 0;
  std::optional<double> per_s{};            // samples, measured of late
  std::optional<double> predicted_per_s{};  // when its workers were last decided on
  std::optional<double> even_per_s{};       // predicted with an even split
  std::optional<double> ceiling_per_s{};
  std::optional<double> waiting_ratio{};
  std::vector<double> by_workers_per_s{};  // predicted with 1, 2, ... workers on each rank
  double samples = 0;                      // since it joined
  std::optional<double> samples_left{};    // until it ends, where it says so
  double joined_s = 0;
  std::optional<double> left_s{};
  std::optional<std::string> note{};
  std::vector<PoolPoint> points;
};

// A decision.
struct PoolMoment {
  double at_s = 0;
  std::string why;
  std::map<std::string, int> workers;  // by job, of all ranks
};

// What sharing by need brought over an even split, measured in windows that alternate; 95 % interval.
struct PoolGain {
  int pairs = 0;
  double ratio = 0;
  std::optional<double> low_ratio{}, high_ratio{};
};

// A job that `stash share run` started.
struct PoolRun {
  std::string name;
  std::optional<double> started_s{}, ended_s{};
  std::optional<int> exit_code{};
  std::string log;
};

// All that a pool tells of itself.
struct PoolState {
  int pid = 0;
  double up_s = 0;
  Objective objective = Objective::throughput;
  PoolPolicy policy = PoolPolicy::need;
  int cores = 1;          // that it was given
  int workers = 1;        // that may work now
  int given_workers = 0;  // that it has given out
  std::optional<double> other_load_cores{};
  std::optional<double> predicted_gain_ratio{};
  std::optional<PoolGain> gain{};
  double cpu_s = 0;  // of the pool's process
  std::vector<PoolJob> jobs;
  std::vector<PoolMoment> moments;
  std::vector<std::string> notes;
  std::vector<PoolRun> runs{};         // of `stash share run`
  std::optional<double> makespan_s{};  // from their first start to their last end
};

std::string to_line(const PoolState& state);  // ends with a line break
PoolState pool_state_from_line(std::string_view line);

}  // namespace stash
