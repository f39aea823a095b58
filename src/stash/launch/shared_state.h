#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

namespace stash {

// What a rank is doing, as its supervisor sees it.
enum class Phase : std::uint32_t { starting, working, collective, waiting, done };
std::string_view to_string(Phase phase);

// One rank's line of the page that ranks share with their supervisor. Written by the rank without locks.
struct alignas(64) RankState {
  std::atomic<std::int64_t> beat_ns{0};  // monotonic time of the last sign of life
  std::atomic<std::int64_t> step{0};     // steps since the start
  std::atomic<Phase> phase{Phase::starting};
  std::atomic<std::uint32_t> finished{0};  // the last order that was carried out

  void beat(Phase now_in);
};

// Shared memory between a supervisor and its ranks: signs of life one way, orders and a request to stop the other, and
// a place where ranks meet. Ranks start with order 1. Ranks inherit the file descriptor; without one (another launcher
// started them) the page is the rank's own.
class SharedState {
 public:
  static SharedState create(int ranks);        // the supervisor's
  static SharedState open(int fd, int ranks);  // a rank's; fd -1: private memory
  SharedState(SharedState&& other) noexcept;
  SharedState& operator=(SharedState&&) = delete;
  ~SharedState();

  int fd() const { return fd_; }
  RankState& rank(int index) { return states()[static_cast<std::size_t>(index)]; }
  std::span<RankState> states();
  void request_stop();
  bool stop_requested() const;
  // A rank's: returns when all ranks of the page have called it. Where one never comes, the supervisor ends the others.
  void meet();

  std::uint32_t order() const;
  void give_next_order();                   // the supervisor's
  void wait_for_next(std::uint32_t order);  // a rank's, after `order`
  bool all_finished();                      // the order that was given last
  bool some_finished();

 private:
  struct Header;
  SharedState(int fd, void* memory, int ranks) : fd_(fd), memory_(memory), ranks_(ranks) {}
  static std::size_t bytes(int ranks);
  static SharedState map(int fd, int ranks);

  int fd_;
  void* memory_;
  int ranks_;
};

}  // namespace stash
