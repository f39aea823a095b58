#include "stash/launch/collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/launch/machine_info.h"

namespace stash {
namespace {

template <typename Row>
void append(std::vector<Row>& rows, const std::vector<Row>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

void add_trace(std::vector<WindowTrace>& traces, const RankTraceEvent& event) {
  for (WindowTrace& trace : traces) {
    if (trace.condition == event.condition) return trace.ranks.push_back(event.trace);
  }
  traces.push_back({event.round, event.condition, {event.trace}});
}

// What is said later of a fix takes the place of what was said before.
void put(std::vector<TriedFix>& tried, const TriedFix& row) {
  const auto known = std::ranges::find(tried, row.fix, &TriedFix::fix);
  if (known == tried.end()) {
    tried.push_back(row);
  } else {
    *known = row;
  }
}

}  // namespace

struct Collector::Taker {
  Collector& collector;
  Profile& profile;
  int rank;

  void operator()(const PhaseEvent& event) const { collector.phase_ = event.text; }
  void operator()(const PilotEvent& event) const {
    profile.edge_s = event.edge_s;
    collector.round_s_ = event.round_s;
    collector.rounds_start_ns_ = event.rounds_start_ns;
    collector.phase_ = "measuring";
  }
  void operator()(const MachineEvent& event) const {
    if (rank != 0) return;
    for (const auto& [name, version] : event.versions) profile.machine.versions[name] = version;
    append(profile.machine.gpus, event.gpus);
  }
  void operator()(const JobEvent& event) const { profile.job = event.job; }
  void operator()(const WindowEvent& event) const { add_window(profile, event.window); }
  void operator()(const PlacesEvent& event) const { append(profile.places, event.rows); }
  void operator()(const LinksEvent& event) const { append(profile.links, event.rows); }
  void operator()(const LayersEvent& event) const { append(profile.layers, event.rows); }
  void operator()(const BucketsEvent& event) const { append(profile.buckets, event.rows); }
  void operator()(const GroupsEvent& event) const { append(profile.groups, event.rows); }
  void operator()(const TriedEvent& event) const {
    for (const TriedFix& row : event.rows) put(profile.tried, row);
  }
  void operator()(const CollectivesEvent& event) const { append(profile.collectives, event.rows); }
  void operator()(const InputEvent& event) const { profile.inputs.push_back(event.counters); }
  void operator()(const RankTraceEvent& event) const { add_trace(profile.traces, event); }
  void operator()(const ClocksEvent& event) const { profile.clocks_s = event.s; }
  void operator()(const LossEvent& event) const { profile.loss = event.loss; }
  void operator()(const WarningEvent& event) const { collector.warnings_.add(event.rank, event.text); }
  void operator()(const FactsEvent& event) const { append(collector.facts_, event.rows); }
  void operator()(const ElsewhereEvent& event) const { collector.elsewhere_ = event.host; }
  void operator()(const StoppedEvent& event) const {
    profile.stopped_by = event.by;
    collector.stopped_ = true;
  }
  void operator()(const ErrorEvent& event) const { collector.errors_.emplace(rank, event); }
  void operator()(const ScriptEvent& event) const { profile.script = event.facts; }
  void operator()(const RecordedEvent&) const {
    collector.misunderstood(rank, "it recorded steps, which only stash run reads");
  }
  void operator()(const TrainedEvent& event) const { collector.trained_ = event.trained; }
  void operator()(const CountersEvent&) const {
    collector.misunderstood(rank, "it counts as for stash watch, which was not asked for");
  }
};

void Collector::take(int rank, const RankEvent& event) { std::visit(Taker{*this, profile_, rank}, event); }

void Collector::take(int rank, std::string_view line) {
  try {
    take(rank, event_from_line(line));
  } catch (const std::exception& error) {
    misunderstood(rank, error.what());
  }
}

void Collector::misunderstood(int rank, std::string_view why) {
  warnings_.add(rank, fmt::format("a report of rank {} was not understood: {}", rank, why));
}

void Collector::note_cache_room() {
  if (!profile_.cache_bytes && !profile_.windows.empty()) profile_.cache_bytes = available_memory_bytes();
}

Profile Collector::finished() const {
  Profile profile = profile_;
  for (std::string& line : warnings_.lines(profile.job.ranks)) profile.warnings.push_back(std::move(line));
  return profile;
}

}  // namespace stash
