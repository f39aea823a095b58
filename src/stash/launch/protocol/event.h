#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stash/core/profile.h"
#include "stash/core/watched.h"
#include "stash/launch/rank_facts.h"
#include "stash/launch/trained_so_far.h"

namespace stash {

// What went wrong on a rank: in what was asked for, in its environment, for lack of memory, or by another rank's end.
enum class FaultKind { usage, environment, memory, peer };
std::string_view to_string(FaultKind kind);
constexpr std::array<FaultKind, 4> every(FaultKind) {
  return {FaultKind::usage, FaultKind::environment, FaultKind::memory, FaultKind::peer};
}

// What a rank reports, one JSON object per line: {"event": name, and the fields}; event_fields.h has their keys.
struct PhaseEvent {
  static constexpr std::string_view kName = "phase";
  std::string text;  // what a person may want to know that it is doing
};
struct PilotEvent {
  static constexpr std::string_view kName = "pilot";
  double edge_s = 0;
  double round_s = 0;
  std::int64_t rounds_start_ns = 0;  // by the monotonic clock of this machine
};
struct MachineEvent {  // what only the interpreter knows
  static constexpr std::string_view kName = "machine";
  std::map<std::string, std::string> versions;
  std::vector<GpuInfo> gpus;
};
struct JobEvent {  // what a script trains, as far as it has shown it
  static constexpr std::string_view kName = "job";
  Job job;
};
struct WindowEvent {
  static constexpr std::string_view kName = "window";
  Window window;
};
struct PlacesEvent {
  static constexpr std::string_view kName = "places";
  std::vector<RankPlace> rows;
};
struct LinksEvent {
  static constexpr std::string_view kName = "links";
  std::vector<LinkTime> rows;
};
struct LayersEvent {
  static constexpr std::string_view kName = "layers";
  std::vector<LayerTime> rows;
};
struct BucketsEvent {
  static constexpr std::string_view kName = "buckets";
  std::vector<Bucket> rows;
};
struct GroupsEvent {
  static constexpr std::string_view kName = "groups";
  std::vector<CommGroup> rows;
};
struct TriedEvent {  // fixes, or what became of some of them
  static constexpr std::string_view kName = "tried";
  std::vector<TriedFix> rows;
};
struct CollectivesEvent {
  static constexpr std::string_view kName = "collectives";
  std::vector<CollectiveSummary> rows;
};
struct InputEvent {
  static constexpr std::string_view kName = "input";
  InputCounters counters;
};
struct RankTraceEvent {  // a rank's part of what was traced in one window
  static constexpr std::string_view kName = "trace";
  int round = 0;
  Condition condition = Condition::solo;
  RankTrace trace;
};
struct ClocksEvent {
  static constexpr std::string_view kName = "clocks";
  double s = 0;  // how far the ranks' clocks may be apart
};
struct LossEvent {
  static constexpr std::string_view kName = "loss";
  double loss = 0;
};
struct WarningEvent {
  static constexpr std::string_view kName = "warning";
  int rank = 0;  // whose it is; another may pass it on
  std::string text;
};
struct FactsEvent {
  static constexpr std::string_view kName = "facts";
  std::vector<RankFacts> rows;
};
struct ElsewhereEvent {
  static constexpr std::string_view kName = "elsewhere";
  std::string host;  // of rank 0, which reports to somebody else
};
struct StoppedEvent {
  static constexpr std::string_view kName = "stopped";
  StoppedBy by = StoppedBy::fault;
};
struct ErrorEvent {
  static constexpr std::string_view kName = "error";
  FaultKind kind = FaultKind::environment;
  std::string message;
  std::vector<int> lost;  // ranks that it heard nothing more of
};
struct RecordedEvent {  // a script's steps, by torch's profiler
  static constexpr std::string_view kName = "recorded";
  std::string trace;                                                 // path of the file
  std::optional<int> batch;                                          // samples of a batch
  std::optional<double> sample_bytes;                                // of it, per sample
  std::optional<std::vector<std::vector<std::int64_t>>> parameters;  // shapes of what the optimizer updates
};
struct ScriptEvent {  // what a script was seen to be
  static constexpr std::string_view kName = "script";
  ScriptFacts facts;
};
struct CountersEvent {
  static constexpr std::string_view kName = "counters";
  WatchedRank counters;
};

struct TrainedEvent {  // so far, of all ranks
  static constexpr std::string_view kName = "trained";
  TrainedSoFar trained;
};

using RankEvent = std::variant<PhaseEvent, PilotEvent, MachineEvent, JobEvent, WindowEvent, PlacesEvent, LinksEvent,
                               LayersEvent, BucketsEvent, GroupsEvent, TriedEvent, CollectivesEvent, InputEvent,
                               RankTraceEvent, ClocksEvent, LossEvent, WarningEvent, FactsEvent, ElsewhereEvent,
                               StoppedEvent, ErrorEvent, CountersEvent, RecordedEvent, TrainedEvent, ScriptEvent>;

std::string to_line(const RankEvent& event);       // ends with a line break
RankEvent event_from_line(std::string_view line);  // Error when it is none, or of a kind that is unknown

}  // namespace stash
