#pragma once

#include <cstdint>
#include <functional>

namespace stash {

// An input queue in simulated time: one worker makes batches one after the other while it is not paused and fewer than
// `depth` are ready. What it made stays until it is taken or thrown away.
class ScriptedQueue {
 public:
  // `takes_ns`: what a batch takes to make, by its number, when it is begun.
  ScriptedQueue(int depth, std::function<std::int64_t(int batch)> takes_ns)
      : depth_(depth), takes_ns_(std::move(takes_ns)) {}

  void resume(std::int64_t now_ns);
  void pause(std::int64_t now_ns);
  void drain();                                // paused only: what is ready or half made is thrown away
  std::int64_t take(std::int64_t now_ns);      // the next batch; returns when it is there
  int ready(std::int64_t now_ns);              // batches
  int next() const { return made_ - ready_; }  // number of the batch that will be taken next

 private:
  void begin(std::int64_t at_ns);
  void catch_up(std::int64_t now_ns);

  int depth_;
  std::function<std::int64_t(int)> takes_ns_;
  int made_ = 0;  // so far, the number of the one in the making
  int ready_ = 0;
  bool running_ = false;
  bool in_the_making_ = false;
  std::int64_t done_ns_ = 0;  // the one in the making; while paused: what is left of it
};

}  // namespace stash
