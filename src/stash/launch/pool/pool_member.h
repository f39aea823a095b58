#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "stash/launch/pool/pool_messages.h"
#include "stash/launch/pool/pool_seat.h"
#include "stash/launch/process/child.h"
#include "stash/launch/process/line_channel.h"

namespace stash {

// What a rank has loaded since its start.
struct LoadedSoFar {
  std::int64_t at_ns = 0;  // when the last of them was trained on
  std::int64_t samples = 0;
  std::int64_t batches = 0;
  double waited_s = 0;
  double busy_s = 0;
  std::optional<double> samples_left{};  // of the job
};

// A rank's place in the pool. Without a pool, or when the pool ends, it works with what it has and looks for a new pool
// every few seconds.
class PoolMember {
 public:
  struct Rank {
    int rank = 0;
    int ranks_here = 1;
    int workers = 1;  // that it has without a pool
  };

  // Joins; takes at most a second.
  PoolMember(const PoolSeat& seat, const Rank& rank);
  ~PoolMember();  // leaves
  PoolMember(const PoolMember&) = delete;
  PoolMember& operator=(const PoolMember&) = delete;

  int workers() const { return workers_.load(); }            // that are to work
  int most_workers() const { return most_workers_.load(); }  // that are to be started

  // From now on a thread reports what `loaded` says, and tells `resize` what the pool decides.
  void start(std::function<LoadedSoFar()> loaded, std::function<void(int workers)> resize);
  void end();  // leaves; what start() was given is not called any more

 private:
  bool join();
  void run();
  void listen(std::int64_t until_ns);
  void take(std::string_view line);
  void report();
  void begin_window();

  PoolSeat seat_;
  Rank rank_;
  Fd connection_;
  Fd stop_;  // readable when the thread is to end
  std::optional<LineReader> reader_;
  std::atomic<int> workers_;
  std::atomic<int> most_workers_;
  bool answered_ = false;  // by the present pool
  bool refused_ = false;
  bool started_ = false;  // the thread: what was started is not changed any more
  bool stopping_ = false;
  double report_s_ = 1;
  std::function<LoadedSoFar()> loaded_;
  std::function<void(int)> resize_;
  LoadedSoFar before_;  // what was reported last
  std::int64_t reported_ns_ = 0;
  std::thread thread_;
};

}  // namespace stash
