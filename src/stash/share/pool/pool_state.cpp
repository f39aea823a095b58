#include "stash/share/pool/pool_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {

template <class V, json_fields::FieldsOf<PoolPoint> T>
void fields(V& visit, T& point) {
  visit("at_s", point.at_s);
  visit("lasted_s", point.lasted_s);
  visit("workers", point.workers);
  visit("per_s", point.per_s);
  visit("waiting_ratio", point.waiting_ratio);
}

template <class V, json_fields::FieldsOf<PoolJob> T>
void fields(V& visit, T& job) {
  visit("name", job.name);
  visit("state", job.state);
  visit("pids", job.pids);
  visit("ranks", job.ranks);
  visit("workers", job.workers);
  visit("even_workers", job.even_workers);
  visit("per_s", job.per_s);
  visit("predicted_per_s", job.predicted_per_s);
  visit("even_per_s", job.even_per_s);
  visit("ceiling_per_s", job.ceiling_per_s);
  visit("waiting_ratio", job.waiting_ratio);
  visit("by_workers_per_s", job.by_workers_per_s);
  visit("samples", job.samples);
  visit("samples_left", job.samples_left);
  visit("joined_s", job.joined_s);
  visit("left_s", job.left_s);
  visit("note", job.note);
  visit("points", job.points);
}

template <class V, json_fields::FieldsOf<PoolMoment> T>
void fields(V& visit, T& moment) {
  visit("at_s", moment.at_s);
  visit("why", moment.why);
  visit("workers", moment.workers);
}

template <class V, json_fields::FieldsOf<PoolGain> T>
void fields(V& visit, T& gain) {
  visit("pairs", gain.pairs);
  visit("ratio", gain.ratio);
  visit("low_ratio", gain.low_ratio);
  visit("high_ratio", gain.high_ratio);
}

template <class V, json_fields::FieldsOf<PoolRun> T>
void fields(V& visit, T& run) {
  visit("name", run.name);
  visit("started_s", run.started_s);
  visit("ended_s", run.ended_s);
  visit("exit_code", run.exit_code);
  visit("log", run.log);
}

template <class V, json_fields::FieldsOf<PoolState> T>
void fields(V& visit, T& state) {
  visit("pid", state.pid);
  visit("up_s", state.up_s);
  visit("objective", state.objective);
  visit("policy", state.policy);
  visit("cores", state.cores);
  visit("workers", state.workers);
  visit("given_workers", state.given_workers);
  visit("other_load_cores", state.other_load_cores);
  visit("predicted_gain_ratio", state.predicted_gain_ratio);
  visit("gain", state.gain);
  visit("cpu_s", state.cpu_s);
  visit("jobs", state.jobs);
  visit("moments", state.moments);
  visit("notes", state.notes);
  visit("runs", state.runs);
  visit("makespan_s", state.makespan_s);
}

namespace {

constexpr std::array<std::string_view, 6> kStateNames{"learning", "sharing", "silent", "doubtful", "left", "died"};
constexpr std::array<std::string_view, 2> kPolicyNames{"need", "even"};

}  // namespace

std::string_view to_string(PoolJobState state) { return kStateNames[static_cast<std::size_t>(state)]; }
std::string_view to_string(PoolPolicy policy) { return kPolicyNames[static_cast<std::size_t>(policy)]; }

PoolPolicy parse_pool_policy(std::string_view name) {
  const auto found = std::ranges::find(kPolicyNames, name);
  if (found == kPolicyNames.end()) throw_unknown("--policy", name, kPolicyNames);
  return static_cast<PoolPolicy>(found - kPolicyNames.begin());
}

std::string to_line(const PoolState& state) { return dump_json(json_fields::write(state)) + '\n'; }

PoolState pool_state_from_line(std::string_view line) {
  PoolState state;
  json_fields::read(parse_json(line, "the state of the pool"), json_fields::Path{nullptr, "pool"}, state);
  return state;
}

}  // namespace stash
