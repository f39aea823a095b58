#include "stash/serve/predict/simulate_serving.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/statistics.h"
#include "stash/serve/batching/scheduler.h"
#include "stash/serve/load/load_summary.h"
#include "stash/serve/load/planned_arrivals.h"

namespace stash {
namespace {

constexpr std::int64_t kEndless_ns = std::numeric_limits<std::int64_t>::max();

// A server without sockets, whose time goes from event to event.
class ServingSimulation {
 public:
  ServingSimulation(const ServedModel& model, const ServeSettings& settings, double beside_s)
      : beside_ns_(nanoseconds(beside_s)), scheduler_(world(), settings) {
    // No tensors are moved in simulated time.
    ServedModel empty = model;
    empty.input.shape = empty.output.shape = {0};
    queue_ = &scheduler_.add(std::move(empty));
  }

  void run(const ArrivalPlan& arrivals) {
    for (const std::int64_t at_ns : arrivals) {
      run_until(at_ns);
      now_ns_ = at_ns;
      PendingRequest& request = take_free();
      request.queue = queue_;
      request.times = {};
      request.times.begun_ns = request.times.arrived_ns = at_ns;
      if (scheduler_.submit(request).status != 0) {
        ++refused;
        free_.push_back(&request);
      }
      scheduler_.advance();
    }
    run_until(kEndless_ns);
  }

  std::vector<RequestTimes> answered;
  std::size_t refused = 0;
  std::int64_t busy_ns = 0;
  std::int64_t now_ns() const { return now_ns_; }
  const ModelQueue& queue() const { return *queue_; }

 private:
  SchedulerWorld world() {
    return {.now_ns = [this] { return now_ns_; },
            .start =
                [this](std::int64_t start_ns, std::int64_t work_ns, CompletionWay) {
                  finish_ns_ = start_ns + work_ns;
                  busy_ns += work_ns;
                },
            .is_noticed = [this](std::int64_t at_ns) { return at_ns >= finish_ns_ + beside_ns_; },
            .finish_ns = [this] { return finish_ns_; },
            .look_ns = [this] { return finish_ns_ + beside_ns_; },
            .done =
                [this](PendingRequest& request, const Refusal& refusal) {
                  request.times.answered_ns = now_ns_;
                  if (refusal.status == 0) {
                    answered.push_back(request.times);
                  } else {
                    ++refused;
                  }
                  free_.push_back(&request);
                }};
  }

  void run_until(std::int64_t end_ns) {
    for (;;) {
      const std::int64_t next = scheduler_.next_ns();
      if (next > end_ns || next == kEndless_ns) return;
      now_ns_ = std::max(now_ns_, next);
      scheduler_.advance();
    }
  }

  PendingRequest& take_free() {
    if (free_.empty()) return requests_.emplace_back();
    PendingRequest& request = *free_.back();
    free_.pop_back();
    return request;
  }

  std::int64_t now_ns_ = 0;
  std::int64_t finish_ns_ = 0;
  std::int64_t beside_ns_;
  Scheduler scheduler_;
  ModelQueue* queue_ = nullptr;
  std::deque<PendingRequest> requests_;
  std::vector<PendingRequest*> free_;
};

}  // namespace

PredictedServing simulate_serving(const ServedModel& model, const ServeSettings& settings, const ServingLoad& load) {
  const ArrivalPlan arrivals = plan_arrivals(load.rate_per_s, load.duration_s, Spacing::poisson, load.seed);
  ServingSimulation simulation(model, settings, load.beside_s);
  simulation.run(arrivals);

  PredictedServing found{.planned = arrivals.size(), .answered = simulation.answered.size()};
  found.most_rows = simulation.queue().rule().most_rows;
  const double full_s = model.times.at(found.most_rows) + load.beside_s;
  found.capacity_per_s = full_s > 0 ? found.most_rows / full_s : 0;
  found.refused_ratio = static_cast<double>(simulation.refused) / static_cast<double>(arrivals.size());
  if (simulation.answered.empty()) return found;
  const double length_s = std::max(load.duration_s, seconds(simulation.now_ns()));
  found.throughput_per_s = static_cast<double>(found.answered) / length_s;
  found.busy_ratio = seconds(simulation.busy_ns) / length_s;
  std::vector<double> latencies;
  double rows = 0;
  std::size_t within = 0;
  for (const RequestTimes& times : simulation.answered) {
    latencies.push_back(seconds(times.answered_ns - times.begun_ns));
    if (settings.objective_s && latencies.back() <= *settings.objective_s) ++within;
    rows += times.batch_rows;
    const PartTimes parts = parts_of(times);
    for (std::size_t i = 0; i < kRequestParts; ++i) {
      if (parts[i]) found.parts_s[i] = found.parts_s[i].value_or(0) + seconds(*parts[i]);
    }
  }
  const auto count = static_cast<double>(found.answered);
  for (auto& part : found.parts_s) {
    if (part) *part /= count;
  }
  // A simulated client is at the server at once.
  found.parts_s[static_cast<std::size_t>(RequestPart::receive)].reset();
  found.parts_s[static_cast<std::size_t>(RequestPart::respond)].reset();
  found.mean_batch = rows / count;
  found.mean_s = mean(latencies);
  std::ranges::sort(latencies);
  found.p50_s = load_quantile(latencies, 0.5);
  found.p90_s = load_quantile(latencies, 0.9);
  found.p99_s = load_quantile(latencies, 0.99);
  if (settings.objective_s) {
    found.within_objective_ratio = static_cast<double>(within) / static_cast<double>(arrivals.size());
  }
  return found;
}

}  // namespace stash
