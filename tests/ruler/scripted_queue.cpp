#include "scripted_queue.h"

#include <algorithm>

namespace stash {

void ScriptedQueue::begin(std::int64_t at_ns) {
  in_the_making_ = ready_ < depth_;
  if (in_the_making_) done_ns_ = at_ns + takes_ns_(made_);
}

void ScriptedQueue::catch_up(std::int64_t now_ns) {
  while (running_ && in_the_making_ && done_ns_ <= now_ns) {
    ++ready_;
    ++made_;
    begin(done_ns_);
  }
}

void ScriptedQueue::resume(std::int64_t now_ns) {
  if (running_) return;
  running_ = true;
  if (in_the_making_) {
    done_ns_ += now_ns;
  } else {
    begin(now_ns);
  }
}

void ScriptedQueue::pause(std::int64_t now_ns) {
  catch_up(now_ns);
  running_ = false;
  done_ns_ -= now_ns;
}

void ScriptedQueue::drain() {
  ready_ = 0;
  in_the_making_ = false;
}

std::int64_t ScriptedQueue::take(std::int64_t now_ns) {
  catch_up(now_ns);
  if (ready_ == 0) now_ns = std::max(now_ns, done_ns_);
  catch_up(now_ns);
  --ready_;
  if (!in_the_making_) begin(now_ns);
  return now_ns;
}

int ScriptedQueue::ready(std::int64_t now_ns) {
  catch_up(now_ns);
  return ready_;
}

}  // namespace stash
