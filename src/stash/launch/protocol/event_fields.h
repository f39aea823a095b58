#pragma once

#include "stash/core/profile_fields.h"
#include "stash/launch/protocol/event.h"

// The keys of what ranks report.
namespace stash {

template <class V, json_fields::FieldsOf<RankFacts> T>
void fields(V& visit, T& facts) {
  visit("rank", facts.rank, 0);
  visit("host", facts.host);
  visit("node", facts.node, 0);
  visit("device", facts.device);
  visit("interface", facts.interface);
  visit("clock_s", facts.clock_s, 0);
}

template <class V, json_fields::FieldsOf<WatchedRank> T>
void fields(V& visit, T& watched) {
  visit("rank", watched.rank, 0);
  visit("steps", watched.steps, 0);
  visit("step_s", watched.step_s, 0);
  visit("input_wait_s", watched.input_wait_s, 0);
  visit("collectives", watched.collectives);
}

template <class V, json_fields::FieldsOf<PhaseEvent> T>
void fields(V& visit, T& event) {
  visit("text", event.text);
}

template <class V, json_fields::FieldsOf<PilotEvent> T>
void fields(V& visit, T& event) {
  visit("edge_s", event.edge_s, 0);
  visit("round_s", event.round_s, 0);
  visit("rounds_start_ns", event.rounds_start_ns, 0);
}

template <class V, json_fields::FieldsOf<MachineEvent> T>
void fields(V& visit, T& event) {
  visit("versions", event.versions);
  visit("gpus", event.gpus);
}

template <class V, json_fields::FieldsOf<JobEvent> T>
void fields(V& visit, T& event) {
  visit("job", event.job);
}

template <class V, json_fields::FieldsOf<WindowEvent> T>
void fields(V& visit, T& event) {
  visit("window", event.window);
}

// Events that are a list of what a profile has lists of.
template <class T>
concept ListEvent = requires(T event) { event.rows; };

template <class V, ListEvent T>
void fields(V& visit, T& event) {
  visit("rows", event.rows);
}

template <class V, json_fields::FieldsOf<InputEvent> T>
void fields(V& visit, T& event) {
  visit("counters", event.counters);
}

template <class V, json_fields::FieldsOf<RankTraceEvent> T>
void fields(V& visit, T& event) {
  visit("round", event.round, 0);
  visit("condition", event.condition);
  visit("trace", event.trace);
}

template <class V, json_fields::FieldsOf<ClocksEvent> T>
void fields(V& visit, T& event) {
  visit("s", event.s, 0);
}

template <class V, json_fields::FieldsOf<LossEvent> T>
void fields(V& visit, T& event) {
  visit("loss", event.loss);
}

template <class V, json_fields::FieldsOf<WarningEvent> T>
void fields(V& visit, T& event) {
  visit("rank", event.rank, 0);
  visit("text", event.text);
}

template <class V, json_fields::FieldsOf<ElsewhereEvent> T>
void fields(V& visit, T& event) {
  visit("host", event.host);
}

template <class V, json_fields::FieldsOf<StoppedEvent> T>
void fields(V& visit, T& event) {
  visit("by", event.by);
}

template <class V, json_fields::FieldsOf<ErrorEvent> T>
void fields(V& visit, T& event) {
  visit("kind", event.kind);
  visit("message", event.message);
  visit("lost", event.lost);
}

template <class V, json_fields::FieldsOf<RecordedEvent> T>
void fields(V& visit, T& event) {
  visit("trace", event.trace);
  visit("batch", event.batch, 1);
  visit("sample_bytes", event.sample_bytes, 0);
  visit("parameters", event.parameters);
}

template <class V, json_fields::FieldsOf<TrainedSoFar> T>
void fields(V& visit, T& trained) {
  visit("samples", trained.samples, 0);
  visit("s", trained.s, 0);
  visit("waited_s", trained.waited_s, 0);
  visit("workers", trained.workers, 1);
}

template <class V, json_fields::FieldsOf<TrainedEvent> T>
void fields(V& visit, T& event) {
  visit("trained", event.trained);
}

template <class V, json_fields::FieldsOf<ScriptEvent> T>
void fields(V& visit, T& event) {
  visit("facts", event.facts);
}

template <class V, json_fields::FieldsOf<CountersEvent> T>
void fields(V& visit, T& event) {
  visit("counters", event.counters);
}

}  // namespace stash
