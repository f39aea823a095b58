#include "stash/launch/crew.h"

#include <fmt/format.h>

#include "stash/launch/crew_order.h"
#include "stash/launch/rank_command.h"
#include "stash/launch/run_clock.h"
#include "stash/launch/run_folder.h"
#include "stash/launch/supervisor.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr double kPatienceElsewhere = 2;  // of ranks elsewhere the supervisor knows nothing

// The supervisor counts the ranks that it started; people count all.
void count_from(Outcome& outcome, int first_rank) {
  if (outcome.hung_rank) *outcome.hung_rank += first_rank;
  for (RankEnd& end : outcome.ends) end.rank += first_rank;
}

}  // namespace

// Ranks, what they were started with, and what they share.
struct Crew::Started {
  explicit Started(int ranks) : shared(SharedState::create(ranks)) {}

  fs::path order_file() const { return folder.path() / "order.json"; }
  // A file, so that no port is needed and nobody else can join; another one for every order.
  fs::path store_file() const { return folder.path() / fmt::format("rendezvous-{}", orders); }

  RunFolder folder;
  SharedState shared;
  int orders = 0;
  std::vector<RankCommand> commands;
  std::unique_ptr<Supervisor> supervisor;
};

Crew::Crew(After after) : after_(after) {}
Crew::~Crew() = default;

bool Crew::has_ranks_for(const CrewOptions& options) {
  return started_ && started_->supervisor && started_->supervisor->is_free() &&
         started_->commands == rank_commands(options, started_->order_file());
}

void Crew::end_ranks() { started_.reset(); }

// To ranks that are free and are as the options say, else to new ones.
void Crew::give_order(const Job& job, const CrewOptions& options) {
  const bool there = has_ranks_for(options);
  if (!there) started_ = std::make_unique<Started>(options.plan.count);
  ++started_->orders;
  Order order = crew_order(job, options, started_->store_file());
  order.stay = after_ == After::stay;
  write_order(started_->order_file(), order);
  if (there) return started_->shared.give_next_order();
  started_->commands = rank_commands(options, started_->order_file());
  started_->supervisor = std::make_unique<Supervisor>(started_->commands, started_->shared);
}

CrewRun Crew::run(Profile profile, const CrewOptions& options) {
  const RunClock clock;
  const CrewPlan& plan = options.plan;
  give_order(profile.job, options);
  Collector collector(std::move(profile));
  Outcome outcome = started_->supervisor->watch(
      {.deadline_s = options.deadline_s,
       .patience = plan.is_whole() ? 1 : kPatienceElsewhere,
       .on_event = [&](int index, std::string_view line) { collector.take(plan.first_rank + index, line); },
       .on_tick =
           [&] {
             collector.note_cache_room();
             if (options.on_tick) options.on_tick(collector);
           },
       .stop = options.stop});
  if (outcome.interrupted || !started_->supervisor->is_free()) started_.reset();
  count_from(outcome, plan.first_rank);

  CrewRun run{.profile = {},
              .trained = collector.trained(),
              .facts = collector.facts(),
              .fault = std::nullopt,
              .interrupted = outcome.interrupted};
  std::optional<StoppedBy> ended_by;
  if (outcome.interrupted) {
    ended_by = StoppedBy::interrupted;
  } else {
    const std::string host = plan.is_whole() ? "" : options.node.host;
    run.fault = describe_fault(outcome, collector.errors(), options.deadline_s, host);
    if (run.fault) ended_by = StoppedBy::fault;
  }
  run.is_consequence = run.fault && !is_own_fault(outcome, collector.errors());
  run.usage_fault = run.fault && is_usage_fault(collector.errors());
  run.lost_rank_0 = is_rank_0_lost(collector.errors());
  run.profile = clock.finish(collector, ended_by);
  return run;
}

}  // namespace stash
