#include "simulated_run.h"

#include <exception>
#include <thread>

#include "scripted_control.h"
#include "scripted_workload.h"
#include "stash/ruler/rounds.h"

namespace stash {
namespace {

using Stop = std::function<bool(int rank, std::size_t windows)>;

class KeptReport final : public RulerReport {
 public:
  explicit KeptReport(SimulatedRank& kept) : kept_(kept) {}
  void pilot(double edge_s, double round_s, std::int64_t) override {
    kept_.edge_s = edge_s;
    kept_.round_s = round_s;
  }
  void window(const Window& window) override { kept_.windows.push_back(window); }
  void dropped(const Variant& variant, const std::string& why) override {
    kept_.dropped.push_back(variant.name + ": " + why);
  }
  void trace(const WindowTrace& trace) override {
    if (!trace.ranks.empty()) kept_.traces.push_back(trace);
  }

 private:
  SimulatedRank& kept_;
};

// What the ranks of a run share.
struct Places {
  explicit Places(int ranks) : control(ranks), job(ranks) {}
  MeetingPlace control;
  MeetingPlace job;
};

SimulatedRank run_simulated_rank(const Script& script, const Job& job, const std::vector<Condition>& conditions,
                                 const Stop& stop, int rank, Places& places, const std::vector<Variant>& variants) {
  const auto offset = script.clock_offset_s.find(rank);
  SimulatedClock clock(offset == script.clock_offset_s.end() ? 0 : offset->second);
  ScriptedWorkload workload(script, job, rank, places.job, clock);
  ScriptedControl control(rank, script.ranks, places.control, clock, script.exchange_s,
                          [&] { workload.note("barrier"); });
  SimulatedRank kept;
  KeptReport report(kept);
  const RulerParts parts{.job = job, .workload = workload, .control = control, .report = report, .time = clock};
  const std::int64_t started_ns = clock.now_ns();
  Ruler ruler(parts);
  ruler.pilot(conditions, variants);
  kept.pilot_calls = workload.calls();
  kept.pilot_s = seconds(clock.now_ns() - started_ns);
  kept.stopped_by = run_rounds(ruler, parts, [&] { return stop && stop(rank, kept.windows.size()); });
  kept.calls.assign(workload.calls().begin() + static_cast<std::ptrdiff_t>(kept.pilot_calls.size()),
                    workload.calls().end());
  kept.clocks_s = ruler.clocks_s();
  kept.elapsed_s = seconds(clock.now_ns() - started_ns);
  return kept;
}

// The one that ends first is the one to blame, not those that wait for it.
void rethrow_first(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr consequence;
  for (const std::exception_ptr& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const RankGone&) {
      consequence = error;
    }
  }
  if (consequence) std::rethrow_exception(consequence);
}

Profile profile_of(const Job& job, const SimulatedRank& first) {
  Profile profile;
  profile.job = job;
  profile.edge_s = first.edge_s;
  for (const Window& window : first.windows) add_window(profile, window);
  profile.traces = first.traces;
  profile.stopped_by = first.stopped_by;
  profile.complete = first.stopped_by != StoppedBy::interrupted;
  return profile;
}

}  // namespace

SimulatedRun simulate(const Script& script, const Job& job, const std::vector<Condition>& conditions, const Stop& stop,
                      const std::vector<Variant>& variants) {
  const auto ranks = static_cast<std::size_t>(script.ranks);
  Places places(script.ranks);
  SimulatedRun run;
  run.ranks.resize(ranks);
  std::vector<std::exception_ptr> errors(ranks);
  const auto run_one = [&](std::size_t rank) {
    try {
      run.ranks[rank] = run_simulated_rank(script, job, conditions, stop, static_cast<int>(rank), places, variants);
    } catch (...) {
      errors[rank] = std::current_exception();
    }
    places.control.give_up();
    places.job.give_up();
  };
  std::vector<std::jthread> others;
  for (std::size_t rank = 1; rank < ranks; ++rank) others.emplace_back(run_one, rank);
  run_one(0);
  others.clear();  // joins them
  rethrow_first(errors);
  run.profile = profile_of(job, run.ranks[0]);
  return run;
}

}  // namespace stash
