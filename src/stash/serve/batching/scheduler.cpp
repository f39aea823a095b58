#include "stash/serve/batching/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::int64_t kNoTime_ns = std::numeric_limits<std::int64_t>::max();
// Without an objective, requests that wait for this many batches are enough: more would only wait longer.
constexpr int kMostBatchesAhead = 64;
constexpr double kOverheadWeight = 0.05;  // of the newest batch
// A request's answer has to be made and sent after its batch has ended.
constexpr double kAnswer_s = 0.0002;

}  // namespace

Scheduler::Scheduler(SchedulerWorld world, const ServeSettings& settings)
    : world_(std::move(world)), world_device_(world_), settings_(settings) {
  lanes_.push_back({.device = &world_device_});
}

ModelQueue& Scheduler::add(ServedModel model) { return add_loaded(0, std::move(model)); }

ModelQueue& Scheduler::add(ServedModel model, BatchDevice& device) {
  lanes_.push_back({.device = &device});
  return add_loaded(lanes_.size() - 1, std::move(model));
}

ModelQueue& Scheduler::add_loaded(std::size_t lane, ServedModel model) {
  ModelQueue& queue = add_to(lane, std::move(model), nullptr);
  queue.load(world_.now_ns(), settings_.reload);
  queue.advance_loading(kNoTime_ns);
  return queue;
}

ModelQueue& Scheduler::add(ServedModel model, BatchDevice& device, ModelLoader& loader) {
  lanes_.push_back({.device = &device});
  ModelQueue& queue = add_to(lanes_.size() - 1, std::move(model), &loader);
  queue.advance_loading(world_.now_ns());
  return queue;
}

ModelQueue& Scheduler::add_to(std::size_t lane, ServedModel model, ModelLoader* loader) {
  if (find(model.name) != nullptr) {
    throw UsageError(
        fmt::format("two models are called {}: give one another name, like --model b={}", model.name, model.name));
  }
  return models_.emplace_back(std::move(model), settings_, lane, loader);
}

ModelQueue* Scheduler::find(std::string_view name) {
  const auto found = std::ranges::find_if(models_, [&](const ModelQueue& one) { return one.model().name == name; });
  return found == models_.end() ? nullptr : &*found;
}

void Scheduler::set(const ServeSettings& settings) {
  settings_ = settings;
  for (ModelQueue& queue : models_) queue.set(settings);
}

bool Scheduler::is_busy() const { return std::ranges::any_of(lanes_, &Lane::is_busy); }

double Scheduler::busy_s() const {
  const std::int64_t now_ns = world_.now_ns();
  std::int64_t busy_ns = 0;
  for (const Lane& lane : lanes_) busy_ns += lane.busy_ns(now_ns);
  return seconds(busy_ns);
}

int Scheduler::rows_of_others(const ModelQueue& queue) const {
  int rows = 0;
  for (const ModelQueue& other : models_) {
    if (&other != &queue && other.lane() == queue.lane()) rows += other.waiting_rows();
  }
  return rows;
}

Refusal Scheduler::submit(PendingRequest& request) {
  ModelQueue& queue = *request.queue;
  const std::int64_t now_ns = request.times.arrived_ns;
  const BatchRule& rule = queue.rule();
  const Lane& lane = lane_of(queue);
  queue.note_arrival(now_ns, request.times.rows);
  const auto refuse = [&](std::string why) {
    ++queue.counts.refused;
    return Refusal{503, std::move(why)};
  };
  request.deadline_ns = kNoTime_ns;
  if (rule.objective_s) {
    request.deadline_ns = now_ns + nanoseconds(*rule.objective_s);
    const std::int64_t free_ns = queue.rests() ? std::max(lane.free_ns, queue.loaded_ns()) : lane.free_ns;
    const std::int64_t end_ns =
        done_ns(rule, queue.model().times, request.times.rows, queue.waiting_rows() + rows_of_others(queue),
                queue.rate_per_s(now_ns), now_ns, free_ns, lane.overhead_s + kAnswer_s);
    if (end_ns > request.deadline_ns) {
      return refuse(fmt::format(
          "this request would take {} and the objective is {}: {} samples wait; send fewer per "
          "second, or try again later",
          format_duration(seconds(end_ns - now_ns)), format_duration(*rule.objective_s), queue.waiting_rows()));
    }
  } else if (queue.waiting_rows() >= kMostBatchesAhead * rule.most_rows) {
    return refuse(
        fmt::format("{} samples wait already: send fewer per second, or try again later", queue.waiting_rows()));
  }
  request.is_in_batch = false;
  request.times.device_busy_ns = lane.busy_ns(now_ns);
  request.times.reload_ns = queue.rested_ns(now_ns);
  queue.push(request);
  return {};
}

bool Scheduler::withdraw(PendingRequest& request) {
  if (request.is_in_batch) return false;
  request.queue->remove(request);
  return true;
}

void Scheduler::advance() {
  const std::int64_t now_ns = world_.now_ns();
  for (Lane& lane : lanes_) {
    if (lane.is_busy() && lane.device->is_noticed(now_ns)) finish_batch(lane, now_ns);
  }
  advance_loading(now_ns);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i].is_busy()) dispatch_due(i, world_.now_ns());
  }
}

// Requests of a model that is not there any more, and will not come back soon, are not left waiting.
void Scheduler::advance_loading(std::int64_t now_ns) {
  for (ModelQueue& queue : models_) {
    if (!queue.may_be_changed() || !lane_of(queue).is_busy()) queue.advance_loading(now_ns);
    while (queue.is_lost() && !queue.empty()) {
      PendingRequest& request = *queue.take_first();
      ++queue.counts.failed;
      world_.done(request, {503, queue.why_unavailable()});
    }
  }
}

void Scheduler::finish_batch(Lane& lane, std::int64_t now_ns) {
  if (settings_.late_notice_s > 0) {
    sleep_until_ns(now_ns + nanoseconds(settings_.late_notice_s));
    now_ns = world_.now_ns();
  }
  lane.busy_before_ns += now_ns - lane.begun_ns;
  const BatchEnd end = lane.device->end();
  const std::int64_t worked_ns = end.finish_ns - lane.batch.front()->times.started_ns;
  // A real device may take another time than T(b).
  const std::int64_t expected_ns = lane.device == &world_device_ ? worked_ns : lane.work_ns;
  const double beside_s = seconds(now_ns - lane.begun_ns - expected_ns);
  lane.overhead_s = std::max(0.0, lane.overhead_s + kOverheadWeight * (beside_s - lane.overhead_s));
  lane.free_ns = now_ns;
  std::vector<PendingRequest*> ended;
  ended.swap(lane.batch);
  for (PendingRequest* const request : ended) {
    RequestTimes& times = request->times;
    times.finished_ns = end.finish_ns;
    times.copy_in_ns = end.copy_in_ns;
    times.launch_ns = end.launch_ns;
    times.copy_out_ns = end.copy_out_ns;
    times.noticed_ns = now_ns;
    request->is_in_batch = false;
    Refusal refusal = end.failure;
    if (refusal.status == 0) request->output = lane.device->output_of(*request, refusal);
    if (refusal.status != 0) ++request->queue->counts.failed;
    world_.done(*request, refusal);
  }
}

// Of the models whose batch is due, the one with the least time left.
void Scheduler::dispatch_due(std::size_t place, std::int64_t now_ns) {
  Lane& lane = lanes_[place];
  ModelQueue* best = nullptr;
  const auto urgency_ns = [](const ModelQueue& queue) {
    const PendingRequest& oldest = queue.oldest();
    return queue.rule().objective_s ? oldest.deadline_ns : oldest.times.arrived_ns;
  };
  for (ModelQueue& queue : models_) {
    if (queue.lane() != place || queue.empty() || queue.rests()) continue;
    if (queue.due_ns(now_ns, lane.free_ns, lane.overhead_s + kAnswer_s) > now_ns) continue;
    if (best == nullptr || urgency_ns(queue) < urgency_ns(*best)) best = &queue;
  }
  if (best != nullptr) begin(lane, *best, now_ns);
}

void Scheduler::begin(Lane& lane, ModelQueue& queue, std::int64_t now_ns) {
  std::vector<PendingRequest*> late;
  lane.batch = queue.take_batch(now_ns, lane.overhead_s, late);
  if (lane.is_busy()) {
    BatchJob job{.model = &queue.model(),
                 .requests = lane.batch,
                 .completion = settings_.completion,
                 .input = settings_.input,
                 .launch = settings_.launch};
    for (const PendingRequest* const request : lane.batch) job.rows += request->times.rows;
    const bool gathers = settings_.input != InputWay::direct;
    lane.begun_ns = now_ns;
    for (PendingRequest* const request : lane.batch) {
      RequestTimes& times = request->times;
      request->is_in_batch = true;
      times.dispatched_ns = now_ns;
      times.batch_rows = job.rows;
      times.was_gathered = gathers;
      times.device_busy_ns = lane.busy_before_ns - times.device_busy_ns;
      times.reload_ns = queue.rested_ns(now_ns) - times.reload_ns;
    }
    if (gathers) lane.device->gather(job);
    if (gathers && settings_.slow_gather_s > 0) sleep_until_ns(world_.now_ns() + nanoseconds(settings_.slow_gather_s));
    job.start_ns = gathers ? world_.now_ns() : now_ns;
    for (PendingRequest* const request : lane.batch) request->times.started_ns = job.start_ns;
    job.work_ns = nanoseconds(queue.model().times.at(job.rows));
    lane.free_ns = job.start_ns + job.work_ns + nanoseconds(lane.overhead_s);
    lane.work_ns = job.work_ns;
    ++queue.counts.batches;
    queue.counts.rows += static_cast<std::uint64_t>(job.rows);
    lane.device->start(job);
  }
  for (PendingRequest* const request : late) {
    ++queue.counts.refused;
    world_.done(*request, {503, fmt::format("the device was slower than expected, and the objective is {}: send fewer "
                                            "per second, or try again later",
                                            format_duration(*queue.rule().objective_s))});
  }
}

std::int64_t Scheduler::next_ns() const {
  std::int64_t next = kNoTime_ns;
  const std::int64_t now_ns = world_.now_ns();
  for (const ModelQueue& queue : models_) {
    if (queue.is_loading()) next = std::min(next, queue.loaded_ns());
    const Lane& lane = lanes_[queue.lane()];
    if (lane.is_busy() || queue.empty() || queue.rests()) continue;
    next = std::min(next, queue.due_ns(now_ns, lane.free_ns, lane.overhead_s + kAnswer_s));
  }
  for (const Lane& lane : lanes_) {
    if (lane.is_busy()) next = std::min(next, lane.device->look_ns());
  }
  return next;
}

}  // namespace stash
