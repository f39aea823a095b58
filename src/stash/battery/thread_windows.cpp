#include "stash/battery/thread_windows.h"

#include <barrier>
#include <thread>

#include "stash/core/clock.h"

namespace stash {

std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

std::vector<double> time_windows(int threads, int windows, const std::function<void(int thread)>& work) {
  std::barrier meeting(threads + 1);
  std::vector<std::jthread> workers;
  for (int thread = 0; thread < threads; ++thread) {
    workers.emplace_back([&, thread] {
      for (int window = 0; window < windows + 1; ++window) {
        meeting.arrive_and_wait();
        work(thread);
        meeting.arrive_and_wait();
      }
    });
  }
  std::vector<double> times_s;
  for (int window = 0; window < windows + 1; ++window) {
    meeting.arrive_and_wait();
    const std::int64_t start_ns = now_ns();
    meeting.arrive_and_wait();
    if (window > 0) times_s.push_back(seconds(now_ns() - start_ns));
  }
  return times_s;
}

}  // namespace stash
