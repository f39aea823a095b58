#include "stash/advise/other_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "stash/catalog/instances.h"
#include "stash/core/price.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr int kMostMachines = 16;      // tried: an imported catalogue has hundreds with some GPUs
constexpr double kEnoughRatio = 0.75;  // of the most that any machine saves

struct Trial {
  const Instance* instance = nullptr;
  int nodes = 1;
  Setting setting;
  double saved_s = 0;

  double usd_per_h() const {
    return instance->usd_per_h ? *instance->usd_per_h * nodes : std::numeric_limits<double>::infinity();
  }
};

// What is not known of the GPU is the same here and there.
Estimate saving(const Trial& trial, double now_s, const StepTimer& step_s) {
  Uncertainty uncertainty = trial.setting.uncertainty;
  uncertainty.compute_low_ratio = uncertainty.compute_high_ratio = 1;
  Spread spread;
  vary(trial.setting.step, trial.setting.described.cluster, uncertainty,
       [&](const StepJob& step, const Cluster& cluster) {
         Setting varied = trial.setting;
         varied.step = step;
         varied.described.cluster = cluster;
         spread.add(now_s - step_s(varied) - trial.saved_s);
       });
  return spread.around(trial.saved_s);
}

// What is not known of a machine is as it is here: nothing is to be saved by not knowing.
void carry_over(const Cluster& here, Cluster& there) {
  there.contention_ratio = here.contention_ratio;
  there.late_s = here.late_s;
}

// nullopt: it cannot run the job, or what matters of it is not known.
std::optional<Setting> setting_there(Predictor& predictor, const Instance& instance, int nodes, const JobFacts& facts,
                                     const Setting& here) {
  auto found = predictor.setting_on(instance, nodes, facts.nodes * facts.ranks_per_node);
  auto* setting = std::get_if<Setting>(&found);
  if (setting == nullptr) return std::nullopt;
  const std::optional<Estimate>& fetch = facts.ledger[Part::fetch];
  if (fetch && fetch->low_s > 0 && !setting->described.storage_is_known) return std::nullopt;
  carry_over(here.described.cluster, setting->described.cluster);
  return std::move(*setting);
}

std::string what_is_here(const JobFacts& facts, Part part) {
  if (facts.nodes > 1) return fmt::format("{} machines", facts.nodes);
  if (part == Part::prep) return fmt::format("{} cores", facts.profile.machine.cores);
  return part == Part::fetch ? "the storage" : "the links";
}

FirstStep in_words(const JobFacts& facts, const Stall& stall, const Trial& trial) {
  const Instance& instance = *trial.instance;
  const std::string price = instance.usd_per_h ? ", " + format_price(trial.usd_per_h()) + " per hour" : "";
  return {.part = stall.part,
          .action = fmt::format("run on {} x {} ({} x {} each{})", trial.nodes, instance.name, instance.gpus,
                                instance.gpu, price),
          .how = fmt::format("stash predict FILE --on {} --nodes {} --gpus {}", instance.name, trial.nodes,
                             facts.nodes * facts.ranks_per_node),
          .because = fmt::format("{} costs {} of a step with {} here", to_string(stall.part),
                                 format_duration(stall.time.s), what_is_here(facts, stall.part)),
          .effort = Effort::machine,
          .of_s = stall.step_s,
          .first_epoch = stall.first_epoch};
}

}  // namespace

std::optional<FirstStep> on_another_machine(const JobFacts& facts, const Stall& stall, const PredictJob& job,
                                            const Setting& here, const StepTimer& step_s,
                                            std::span<const Instance> instances) {
  const int ranks = facts.nodes * facts.ranks_per_node;
  const double now_s = step_s(here);
  Predictor predictor(job);
  std::vector<Trial> trials;
  int tried = 0;
  for (const Instance& instance : instances) {
    if (instance.gpus < 1 || !is_for_rent(instance) || known_gpu(instance) != job.profile->gpu) continue;
    const int nodes = (ranks + instance.gpus - 1) / instance.gpus;
    if (nodes > facts.nodes || ranks % nodes != 0 || ++tried > kMostMachines) continue;
    std::optional<Setting> setting = setting_there(predictor, instance, nodes, facts, here);
    if (!setting) continue;
    const double saved_s = now_s - step_s(*setting);
    if (saved_s > 0) trials.push_back({&instance, nodes, std::move(*setting), saved_s});
  }
  if (trials.empty()) return std::nullopt;
  const double most_s = std::min(stall.time.s, std::ranges::max_element(trials, {}, &Trial::saved_s)->saved_s);
  std::erase_if(trials, [&](const Trial& trial) { return trial.saved_s < kEnoughRatio * most_s; });
  const Trial& best = *std::ranges::min_element(
      trials, {}, [](const Trial& trial) { return std::pair(trial.usd_per_h(), -trial.saved_s); });
  FirstStep step = in_words(facts, stall, best);
  step.saved = saving(best, now_s, step_s);
  return step;
}

}  // namespace stash
