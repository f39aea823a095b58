#include "stash/battery/joint_cases.h"

#include <fmt/format.h>

#include <exception>

#include "stash/catalog/job_memory.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/cluster/crew_plan.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/models/job_graph.h"

namespace stash {
namespace {

constexpr double kReady_s = 1800;      // each host may have to build the library
constexpr double kPrepare_s = 900;     // each host may have to make the data set, one process after the other
constexpr double kEnd_s = 6;           // for ranks elsewhere to end after those here, before they are told to
constexpr double kStop_deadlines = 2;  // and then, at most

bool never() { return false; }

CrewPlan plan_of(const LaunchedProcess& launched, int ranks, const std::string& attempt) {
  CrewPlan plan = plan_crew(launched, ranks);
  plan.meeting.attempt = attempt;
  return plan;
}

Profile prepare_here(const Job& job, const LaunchedProcess& launched, const OnDefaultData& on_data) {
  const Graph graph = graph_of(job);
  check_memory(job, graph, ranks_on_host(job.ranks, launched), static_cast<double>(available_memory_bytes()));
  return prepare_profile(job, graph, on_data);
}

// What another process does for the leader.
class Follower {
 public:
  Follower(PeerFollower& leader, const LaunchedProcess& launched, const std::function<CrewOptions()>& resolve)
      : leader_(leader), launched_(launched), resolve_(resolve) {}

  bool is_stopped() { return signals_ && signals_->take(); }

  PeerReport carry_out(const PeerOrder& order) {
    try {
      if (order.step == PeerStep::ready) return get_ready();
      return order.step == PeerStep::prepare ? prepare(order.job) : start(order);
    } catch (const Error& error) {
      return {.fault = error.what()};
    }
  }

 private:
  PeerReport get_ready() {
    options_ = resolve_();
    options_.stop = [this] { return leader_.has_lost_leader() || leader_.is_told_to_stop(); };
    signals_.emplace();
    return {.torch = options_.torch};
  }

  PeerReport prepare(const Job& job) {
    prepared_ = prepare_here(job, launched_, [](InputKind, std::int64_t, std::int64_t) {});
    return {};
  }

  PeerReport start(const PeerOrder& order) {
    if (order.fresh) ranks_.end_ranks();
    CrewOptions options = options_;
    options.plan = plan_of(launched_, prepared_.job.ranks, order.attempt);
    CrewRun run = ranks_.run(prepared_, options);
    // Ranks that the leader stopped were not stopped by a person.
    const bool by_person = run.interrupted && !leader_.is_told_to_stop();
    return {.fault = std::move(run.fault), .is_consequence = run.is_consequence, .interrupted = by_person};
  }

  PeerFollower& leader_;
  const LaunchedProcess& launched_;
  const std::function<CrewOptions()>& resolve_;
  CrewOptions options_;
  std::optional<StopSignals> signals_;
  Crew ranks_{Crew::After::stay};
  Profile prepared_;
};

}  // namespace

// Here by `own` and elsewhere at once; each answers, whatever comes of it. nullopt: `stop` asked.
std::optional<std::vector<PeerReport>> JointCases::order_all(const PeerOrder& order, double limit_s,
                                                             const std::function<bool()>& stop,
                                                             const std::function<void()>& own) {
  if (owed_ && !others_.collect(limit_s, stop)) return std::nullopt;
  others_.order(order);
  std::exception_ptr own_fault;
  try {
    own();
  } catch (const Error&) {
    own_fault = std::current_exception();
  }
  auto reports = others_.collect(limit_s, stop);
  owed_ = !reports;
  if (own_fault) std::rethrow_exception(own_fault);
  for (std::size_t place = 0; reports && place < reports->size(); ++place) {
    if (const auto& fault = (*reports)[place].fault) throw Error(fmt::format("{}: {}", others_.name(place), *fault));
  }
  return reports;
}

CrewOptions JointCases::get_ready(const std::function<CrewOptions()>& resolve) {
  CrewOptions own;
  const auto reports = order_all({.step = PeerStep::ready}, kReady_s, never, [&] { own = resolve(); });
  for (std::size_t place = 0; place < reports->size(); ++place) {
    const std::string& torch = (*reports)[place].torch;
    if (torch == own.torch) continue;
    throw Error(fmt::format("{} has torch {} and process 0 on {} has torch {}: install the same version on every host",
                            others_.name(place), torch, own.node.host, own.torch));
  }
  return own;
}

// The process whose rank is to blame knows most about it.
void JointCases::take_reports(CrewRun& run, bool lost_one) {
  const std::int64_t start_ns = now_ns();
  bool told = false;
  const auto tell_to_stop = [&] {
    if (!told && seconds(now_ns() - start_ns) > kEnd_s) {
      others_.order({.step = PeerStep::stop});
      told = true;
    }
    return false;
  };
  try {
    const auto reports = others_.collect(kEnd_s + kStop_deadlines * deadline_s_, tell_to_stop);
    if (!run.fault || !run.is_consequence) return;
    for (const PeerReport& report : *reports) {
      if (report.fault && !report.is_consequence) run.fault = report.fault;
    }
  } catch (const PeerLost&) {
    // Who stops a launch stops all its processes.
    if (!run.interrupted || lost_one) throw;
  }
}

CrewRun JointCases::run(const Job& job, CrewOptions options, Crew& ranks, const OnDefaultData& on_data) {
  const std::function<bool()> stop = options.stop ? options.stop : never;
  Profile profile;
  const auto prepared = order_all({.step = PeerStep::prepare, .job = job}, kPrepare_s, stop,
                                  [&] { profile = prepare_here(job, launched_, on_data); });
  if (!prepared) return {.profile = {}, .facts = {}, .fault = {}, .interrupted = true};
  options.plan = plan_of(launched_, job.ranks, fmt::format("{}-{}", launched_.meeting.attempt, ++cases_));
  PeerOrder start{.step = PeerStep::start, .attempt = options.plan.meeting.attempt};
  // New ranks here have a new store, which those elsewhere do not know.
  start.fresh = !ranks.has_ranks_for(options);
  if (start.fresh) ranks.end_ranks();
  bool lost_one = false;
  options.stop = [&] {
    lost_one = lost_one || others_.has_lost_one();
    return lost_one || stop();
  };
  others_.order(start);
  CrewRun run = ranks.run(std::move(profile), options);
  take_reports(run, lost_one);
  return run;
}

std::optional<int> follow_cases(PeerFollower& leader, const LaunchedProcess& launched,
                                const std::function<CrewOptions()>& resolve) {
  Follower follower(leader, launched, resolve);
  while (const auto order = leader.wait([&] { return follower.is_stopped(); })) {
    if (order->step == PeerStep::end) return order->exit_code;
    const PeerReport report = follower.carry_out(*order);
    const bool lost = leader.has_lost_leader();
    leader.report(report);
    if (report.interrupted && !lost) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace stash
