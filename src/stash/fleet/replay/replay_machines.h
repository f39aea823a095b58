#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "stash/fleet/policy/fleet_policy.h"
#include "stash/fleet/replay/batch_table.h"
#include "stash/fleet/replay/device_queue.h"
#include "stash/fleet/replay/device_router.h"
#include "stash/fleet/replay/replay_fleet.h"
#include "stash/fleet/replay/replay_result.h"

namespace stash {

// The machines of a replay: ordered, started, ready, stopped, killed, taken away; what they cost.
class ReplayMachines {
 public:
  // All of them outlive it.
  ReplayMachines(const Market& market, const ReplayOptions& options, double price_ratio, LatencyHistogram& latencies);

  // Brings the numbers to those that are wanted. Error where they are absurd.
  void apply(const FleetOrder& order);
  // On to a moment: what is ready, killed or taken away by then. Nothing is billed in a hole.
  void advance(double now_s, bool in_hole);
  double next_event_s() const { return next_s_; }
  void settle();  // every device, up to now
  void stop_all();

  std::span<const TypeCount> counts();  // busy since the last call
  DeviceRouter& router() { return router_; }
  const std::vector<QueueLog>& logs() const { return logs_; }      // by type
  const std::vector<TypeUse>& uses() const { return uses_; }       // by type
  const std::vector<double>& ready_s() const { return ready_s_; }  // by type: machines times seconds
  double usd() const;
  std::uint64_t lost() const { return lost_; }
  std::uint64_t killed() const { return killed_; }
  std::uint64_t taken_away() const { return taken_away_; }

 private:
  struct Machine {
    std::size_t type = 0;
    bool is_spot = false;
    bool is_ready = false;
    double ready_s = 0;         // when it is, or was
    double taken_s = kNever_s;  // when a spot machine has to go
    double billed_s = 0;        // so far
    std::vector<DeviceQueue> devices{};
  };
  using Machines = std::vector<std::unique_ptr<Machine>>;

  void change(std::size_t type, bool is_spot, int wanted);
  void start(std::size_t type, bool is_spot);
  void stop(Machines::iterator machine);
  void kill_one();
  void take_away_due();
  void make_ready_due();
  void bill(double to_s);
  void charge(Machine& machine, double s);
  const BatchTable& table(std::size_t type);
  void renew();  // after a change: the router and the next event

  const Market* market_;
  const ReplayOptions* options_;
  double price_ratio_;
  LatencyHistogram* latencies_;
  std::mt19937_64 random_;
  std::vector<std::optional<BatchTable>> tables_;
  std::vector<QueueLog> logs_;
  std::vector<TypeUse> uses_;
  Machines machines_;  // in the order of their starts
  DeviceRouter router_;
  std::vector<TypeCount> counts_;
  std::vector<double> ready_s_, busy_before_s_, ready_before_s_;
  double now_s_;
  double next_s_ = kNever_s;
  double next_kill_s_ = kNever_s;
  std::uint64_t lost_ = 0, killed_ = 0, taken_away_ = 0;
};

}  // namespace stash
