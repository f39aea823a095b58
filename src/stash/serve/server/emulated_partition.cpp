#include "stash/serve/server/emulated_partition.h"

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr int kShareSteps = 16;  // an H200's 132 multiprocessors are divided in steps of 8
constexpr double kLookAgain_s = 1;

}  // namespace

SchedulerWorld EmulatedPartition::world_of(Part& part) const {
  EmulatedAccelerator& device = part.accelerator;
  return {.now_ns = [] { return now_ns(); },
          .start = [&device](std::int64_t start_ns, std::int64_t work_ns,
                             CompletionWay way) { device.start(start_ns, work_ns, way); },
          .is_noticed = [&device](std::int64_t at_ns) { return device.is_noticed(at_ns); },
          .finish_ns = [&device] { return device.finish_ns(); },
          .look_ns = [&device] { return device.look_ns(); },
          .done = done_};
}

void EmulatedPartition::add(Scheduler& scheduler, ServedModel model) {
  Part& part = parts_.emplace_back();
  part.world = world_of(part);
  part.times = model.times;
  part.queue = &scheduler.add(std::move(model), part.device);
}

void EmulatedPartition::settle(std::int64_t now_ns) {
  next_ns_ = now_ns + nanoseconds(kLookAgain_s);
  std::vector<ShareNeed> needs;
  for (const Part& part : parts_) {
    needs.push_back({.times = part.times,
                     .most_batch = part.queue->settings().most_batch,
                     .rate_per_s = part.queue->rate_per_s(now_ns),
                     .objective_s = part.queue->rule().objective_s});
  }
  if (const auto shares = changed_shares(way_, shares_, needs, kShareSteps)) give(*shares);
}

void EmulatedPartition::give(const std::vector<double>& shares) {
  shares_ = shares;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    part.queue->change_times(times_on_share(part.times, part.queue->settings().most_batch, shares[i]));
    part.queue->counts.share_ratio = shares[i];
  }
}

}  // namespace stash
