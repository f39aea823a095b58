// Events a second through the simulator's queue: bench/events [--repeats N] [--events N].
//
// The hold model: the earliest event is popped and pushed again a random time later, with a constant number pending.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <queue>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/cpu_clock.h"
#include "stash/core/statistics.h"
#include "stash/predict/event_queue.h"

namespace {

using stash::Event;
using stash::EventQueue;

constexpr double kGoalPerS = 10e6;
constexpr std::size_t kDelays = 1 << 12;  // drawn beforehand: the queue is timed, not the generator; 32 KiB stay cached

// What simulators are compared on: a spread of times, one that has far outliers, and a handful of times that recur.
std::vector<double> draw_delays(const std::string& kind) {
  std::uint64_t state = 1;
  std::vector<double> delays(kDelays);
  for (double& delay : delays) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double u = (static_cast<double>(state >> 11) + 0.5) * 0x1p-53;
    if (kind == "exponential") delay = -std::log(u);
    if (kind == "uniform") delay = u;
    if (kind == "bimodal") delay = u < 0.9 ? u / 10 : 100 * u;
    if (kind == "layers") delay = 1e-4 * (1 + std::floor(8 * u));
  }
  return delays;
}

// The standard library's heap, for comparison.
class HeapQueue {
 public:
  void push(double time_s, std::uint64_t id) { heap_.push({time_s, id}); }
  Event pop() {
    const Event event = heap_.top();
    heap_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time_s > b.time_s || (a.time_s == b.time_s && a.id > b.id);
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> heap_;
};

template <class Queue>
double hold_per_s(const std::vector<double>& delays, std::size_t pending, std::int64_t events) {
  Queue queue;
  std::size_t at = 0;
  for (std::size_t i = 0; i < pending; ++i) queue.push(delays[at++ % kDelays], i);
  const auto hold = [&](std::int64_t count) {
    for (; count > 0; --count) {
      const Event event = queue.pop();
      queue.push(event.time_s + delays[at++ % kDelays], event.id);
    }
  };
  hold(static_cast<std::int64_t>(4 * pending));
  const double start_s = stash::seconds(stash::thread_cpu_ns());
  hold(events);
  return static_cast<double>(events) / (stash::seconds(stash::thread_cpu_ns()) - start_s);
}

struct Rate {
  double per_s = 0;
  double half_per_s = 0;  // of a 95 % interval
};

template <class Queue>
Rate measure(const std::vector<double>& delays, std::size_t pending, std::int64_t events, int repeats) {
  std::vector<double> rates;
  for (int i = 0; i < repeats; ++i) rates.push_back(hold_per_s<Queue>(delays, pending, events));
  const double half = stash::student_t_quantile_975(repeats - 1) * std::sqrt(stash::sample_variance(rates) / repeats);
  return {stash::mean(rates), half};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Events a second: one pop and one push, on one core");
  int repeats = 7;
  std::int64_t events = 3'000'000;
  app.add_option("--repeats", repeats, "Of each line")->capture_default_str()->check(CLI::Range(2, 1000));
  app.add_option("--events", events, "Of each repeat")->capture_default_str()->check(CLI::Range(1000, 1'000'000'000));
  CLI11_PARSE(app, argc, argv);

  fmt::print("{:<14}{:>10}{:>26}{:>26}\n", "delays", "pending", "queue, million/s", "std heap, million/s");
  bool reached = true;
  for (const std::string kind : {"exponential", "uniform", "bimodal", "layers"}) {
    const std::vector<double> delays = draw_delays(kind);
    for (const std::size_t pending : {std::size_t{16}, std::size_t{4096}, std::size_t{262144}}) {
      const Rate own = measure<EventQueue>(delays, pending, events, repeats);
      const Rate heap = measure<HeapQueue>(delays, pending, events, repeats);
      fmt::print("{:<14}{:>10}{:>17.1f} ± {:>5.1f}{:>18.1f} ± {:>5.1f}\n", kind, pending, own.per_s / 1e6,
                 own.half_per_s / 1e6, heap.per_s / 1e6, heap.half_per_s / 1e6);
      std::fflush(stdout);
      reached = reached && own.per_s >= kGoalPerS;
    }
  }
  fmt::print("10 million events a second: {}\n", reached ? "reached everywhere" : "missed");
  return reached ? 0 : 1;
}
