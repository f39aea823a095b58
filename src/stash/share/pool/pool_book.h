#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stash/launch/pool/pool_messages.h"
#include "stash/share/pool/gain_meter.h"
#include "stash/share/pool/live_curve.h"
#include "stash/share/pool/pool_split.h"
#include "stash/share/pool/pool_state.h"

namespace stash {

struct PoolOptions {
  int workers = 1;  // that may work at a time
  Objective objective = Objective::throughput;
  PoolPolicy policy = PoolPolicy::need;
  double report_s = 1;                       // between a job's reports
  std::optional<double> gain_window_s = {};  // nullopt: the gain is not measured
};

// Who is in the pool, what they bring and what they get. Knows no sockets and no clock: the caller numbers connections
// and says when things happen, in seconds since the pool's start.
class PoolBook {
 public:
  using Outbox = std::vector<std::pair<int, PoolReply>>;  // connection, message

  explicit PoolBook(const PoolOptions& options);

  void join(int connection, const JoinMessage& join, double now_s);
  void report(int connection, const ReportMessage& report, double now_s);
  void leave(int connection, bool died, double now_s);
  void set_workers(int workers, double now_s);  // that may work: other processes came or went
  void tick(double now_s);

  double next_tick_s(double now_s) const;  // tick is to be called by then
  Outbox take_outbox() { return std::exchange(outbox_, {}); }
  bool has(int connection) const { return members_.contains(connection); }
  double managed_cpu_s() const { return left_cpu_s_ + present_cpu_s(); }
  PoolState state(double now_s) const;
  bool is_empty() const { return members_.empty(); }

 private:
  struct Member {
    JoinMessage join;
    LiveCurve curve;
    int most = 1;            // workers that it started
    int told = 0;            // workers that it was told last
    bool was_tried = false;  // with another number of workers, to learn from it
    bool unsettled = false;  // its next report tells of the change too
    double seen_s = 0;       // when it last reported samples
    bool has_trained = false;
    double cpu_s = 0;
  };
  struct Job {
    PoolJob shown;
    int workers = 0;  // of each rank
    double batch_s = 0;
    std::vector<int> members;  // connections
    double point_spacing_s = 0;
    PoolPoint open_point;  // sums, until the spacing is over
  };

  PoolSeatFacts facts_of(const Job& job) const;
  std::vector<PoolSeatFacts> facts() const;
  std::int64_t least_with(const std::string& key, int min_workers) const;
  std::string free_name(const std::string& wished) const;
  bool is_known(const Job& job) const;
  double measured_per_s(const Job& job) const;
  void decide(double now_s, const std::string& why, bool forced);
  void apply(const std::vector<int>& split, double now_s, const std::string& why);
  void members_changed(double now_s, const std::string& why);
  void look_for_drift(Job& job, double now_s);
  bool all_settled() const;  // with the workers that they have now
  bool try_another_split(double now_s);
  void add_point(Job& job, const ReportMessage& report, double now_s);
  void retire(const std::string& key, PoolJobState state, double now_s);
  double present_cpu_s() const;
  double silent_after_s(const Job& job) const;
  bool is_overdue(const Job& job, int connection, double now_s) const;

  PoolOptions options_;
  std::map<int, Member> members_;    // by connection
  std::map<std::string, Job> jobs_;  // by key
  std::vector<PoolJob> gone_;
  std::vector<PoolMoment> moments_;
  std::optional<GainMeter> gain_;
  std::optional<double> predicted_gain_;
  Outbox outbox_;
  double members_changed_s_ = 0;
  bool is_trying_ = false;  // a split that was made to learn from it
  double settled_s_ = 0;    // before then no change is made for its gain
  double left_cpu_s_ = 0;   // of those that left
};

}  // namespace stash
