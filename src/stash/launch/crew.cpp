#include "stash/launch/local_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/clock.h"
#include "stash/launch/order.h"
#include "stash/launch/rank_command.h"
#include "stash/launch/run_folder.h"
#include "stash/launch/stolen_time.h"
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
struct LocalRanks::Started {
  explicit Started(int ranks) : shared(SharedState::create(ranks)) {}

  fs::path order_file() const { return folder.path() / "order.json"; }
  // A file, so that no port is needed and nobody else can join; another one for every order.
  fs::path store_file() const { return folder.path() / fmt::format("rendezvous-{}", orders); }

  RunFolder folder;
  SharedState shared;
  int orders = 0;
  std::vector<RankCommand> commands;
  std::unique_ptr<Crew> crew;
};

LocalRanks::LocalRanks(After after) : after_(after) {}
LocalRanks::~LocalRanks() = default;

// To ranks that are free and are as the options say, else to new ones.
void LocalRanks::order(const Job& job, const LocalRunOptions& options, std::int64_t started_ns) {
  const bool stay = after_ == After::stay && options.team.is_whole();
  const auto commands = [&] { return rank_commands(options, started_->order_file(), stay); };
  const bool there = started_ && started_->crew && started_->crew->is_free() && started_->commands == commands();
  if (!there) started_ = std::make_unique<Started>(options.team.count);
  ++started_->orders;
  write_order(started_->order_file(), job, options, started_ns, started_->store_file());
  if (there) return started_->shared.give_next_order();
  started_->commands = commands();
  started_->crew = std::make_unique<Crew>(started_->commands, started_->shared);
}

LocalRun LocalRanks::run(Profile profile, const LocalRunOptions& options) {
  const std::int64_t started_ns = now_ns();
  const StolenTime stolen;
  const Team& team = options.team;
  order(profile.job, options, started_ns);
  Collector collector(std::move(profile));
  Outcome outcome = started_->crew->watch(
      {.deadline_s = options.deadline_s,
       .patience = team.is_whole() ? 1 : kPatienceElsewhere,
       .on_event = [&](int index, std::string_view line) { collector.take(team.first_rank + index, line); },
       .on_tick =
           [&] {
             note_cache_room(collector);
             if (options.on_tick) options.on_tick(collector);
           },
       .stop = options.stop});
  if (outcome.interrupted || !started_->crew->is_free()) started_.reset();
  count_from(outcome, team.first_rank);

  LocalRun run{.profile = collector.profile(),
               .facts = collector.facts(),
               .fault = std::nullopt,
               .interrupted = outcome.interrupted};
  if (!outcome.interrupted)
    run.fault =
        describe_fault(outcome, collector.errors(), options.deadline_s, team.is_whole() ? "" : options.node.host);
  run.usage_fault = run.fault && is_usage_fault(collector.errors());
  run.lost_rank_0 = std::any_of(collector.errors().begin(), collector.errors().end(), [](const auto& entry) {
    const std::vector<int>& lost = entry.second.lost;
    return std::find(lost.begin(), lost.end(), 0) != lost.end();
  });
  run.profile.elapsed_s = seconds(now_ns() - started_ns);
  run.profile.stolen_ratio = stolen.ratio();
  run.profile.complete = !run.fault && !outcome.interrupted && collector.stopped();
  if (run.fault) run.profile.stopped_by = StoppedBy::fault;
  if (outcome.interrupted) run.profile.stopped_by = StoppedBy::interrupted;
  return run;
}

}  // namespace stash
