#include "stash/advise/measured_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/advise/group_steps.h"
#include "stash/core/units.h"

namespace stash {
namespace {

// What an input takes with other workers is known to about this, since they share memory and caches.
constexpr double kInputRatio = 1.1;

class MeasuredSteps {
 public:
  MeasuredSteps(const JobFacts& facts, const Stall& stall) : facts_(facts), job_(facts.profile.job), stall_(stall) {}

  std::vector<FirstStep> all() && {
    switch (stall_.part) {
      case Part::contention:
        unless_input_limits(&MeasuredSteps::cores);
        break;
      case Part::interconnect:
      case Part::network:
        unless_input_limits(&MeasuredSteps::communication);
        break;
      case Part::copy:
        unless_input_limits(&MeasuredSteps::second_stream);
        break;
      case Part::prep:
        workers();
        break;
      case Part::fetch:
        storage();
        cache();
        break;
      default:
        break;
    }
    return std::move(steps_);
  }

 private:
  // A step that waits for its batch is no shorter for what comes before.
  void unless_input_limits(void (MeasuredSteps::*suggest)()) {
    if (!input_limits(facts_.ledger, stall_.first_epoch)) (this->*suggest)();
  }

  // `s` of the stall, known as well as the stall is.
  void add(FirstStep step, double s) {
    const double ratio = s / stall_.time.s;
    step.saved = {s, stall_.time.low_s * ratio, stall_.time.high_s * ratio};
    steps_.push_back(std::move(step));
  }

  // What is left of the stall when `workers` make the batches. Without workers the rank itself makes them, in between.
  double prep_left_s(int workers, double input_ratio) const {
    const double hot_s = facts_.ledger.step_by_condition.at(Condition::hot).s;
    const double before_s = hot_s - stall_.time.s;
    const double one_worker_s = job_.workers == 0 ? stall_.time.s : hot_s * job_.workers;
    return std::clamp(one_worker_s * input_ratio / workers - before_s, 0.0, stall_.time.s);
  }

  // On the CPU, cores compute: none is left for more workers.
  void workers() {
    const int most = facts_.most_workers;
    if (job_.workers < 0 || most <= job_.workers || !facts_.ledger.step_by_condition.contains(Condition::hot)) return;
    int enough = job_.workers + 1;
    while (enough < most && prep_left_s(enough, kInputRatio) > 0) ++enough;
    add(more_workers(facts_, stall_, enough), stall_.time.s - prep_left_s(enough, 1));
    Estimate& saved = steps_.back().saved;
    saved.low_s = std::min(saved.low_s, stall_.time.low_s - prep_left_s(enough, kInputRatio));
  }

  void storage() {
    const std::optional<StorageNeed> need = storage_need(facts_, stall_);
    if (need) add(faster_storage(facts_, stall_, need->bytes_per_s), stall_.time.s - need->left_s);
  }

  void cache() {
    const Profile& profile = facts_.profile;
    if (stall_.first_epoch || !facts_.ledger.steady_fetch || !profile.dataset_bytes || !profile.cache_bytes) return;
    if (*profile.dataset_bytes <= *profile.cache_bytes) return;
    add(larger_cache(facts_, stall_, static_cast<double>(*profile.dataset_bytes)), stall_.time.s);
  }

  void communication() {
    for (FirstStep& step : group_steps(facts_, stall_)) steps_.push_back(std::move(step));
  }

  // A copy hides behind the step that it does not belong to, as far as that is long enough.
  void second_stream() {
    const double rest_s = stall_.step_s - stall_.time.s;
    add({.part = stall_.part,
         .action = "copy the next batch on a second CUDA stream while this one computes",
         .how = "batch.to(device, non_blocking=True) from pinned memory, under torch.cuda.stream",
         .because = fmt::format("a batch is copied in {}, and the rest of the step, {}, can hide it",
                                format_duration(stall_.time.s), format_duration(rest_s)),
         .of_s = stall_.step_s},
        std::min(stall_.time.s, rest_s));
  }

  // Ranks that take turns on too few cores take as many times as long as there are ranks for a core.
  void cores() {
    const int cores = facts_.profile.machine.cores, ranks = facts_.ranks_per_node;
    const std::optional<Estimate>& alone = facts_.ledger[Part::compute];
    if (facts_.computes_on_cpu || cores < 1 || cores >= ranks || !alone) return;
    add({.part = stall_.part,
         .action = fmt::format("give each node {} cores instead of {}", ranks, cores),
         .how = "the CPU limit of the job or its container",
         .because =
             fmt::format("{} ranks share {} cores, and a step that takes {} alone takes {} more beside the others",
                         ranks, cores, format_duration(alone->s), format_duration(stall_.time.s)),
         .effort = Effort::hardware,
         .of_s = stall_.step_s},
        std::min(stall_.time.s, alone->s * (static_cast<double>(ranks) / cores - 1)));
  }

  const JobFacts& facts_;
  const Job& job_;
  const Stall& stall_;
  std::vector<FirstStep> steps_;
};

}  // namespace

std::vector<FirstStep> measured_steps(const JobFacts& facts, const Stall& stall) {
  return MeasuredSteps(facts, stall).all();
}

}  // namespace stash
