#include "stash/study/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/attribute/attribute.h"
#include "stash/attribute/round_table.h"
#include "stash/core/error.h"
#include "stash/models/job_graph.h"

namespace stash {
namespace {

// As torch starts Gloo. NCCL has one stream for a group, on which collectives run one after the other.
constexpr int kGlooThreads = 2;

void check_usable(const Profile& profile) {
  if (!profile.job.command.empty()) {
    throw Error("a script's profile says nothing of layers; the study takes profiles of built-in models");
  }
  if (profile.layers.empty() || profile.buckets.empty()) {
    throw Error(
        fmt::format("the profile of {} has no layers or no gradient buckets: it ended too early; make it again "
                    "with a longer --max-time",
                    profile.job.model));
  }
}

int count_layers(const Graph& graph) {
  return static_cast<int>(std::ranges::count_if(graph.layers, [](const Layer& layer) {
    return (layer.op == Op::conv2d || layer.op == Op::linear) && !layer.parameters.empty();
  }));
}

// The two parts stand for one cause here: what is exchanged and not hidden.
Estimate communication_stall(const Ledger& ledger, const std::string& model) {
  double s = 0, half_s = 0;
  bool measured = false;
  for (const Part part : {Part::interconnect, Part::network}) {
    const std::optional<Estimate>& estimate = ledger[part];
    if (!estimate) continue;
    measured = true;
    s += estimate->s;
    half_s = std::hypot(half_s, (estimate->high_s - estimate->low_s) / 2);
  }
  if (measured) return {s, s - half_s, s + half_s};
  throw Error(
      fmt::format("the profile of {} measured no communication: it takes two ranks, and --conditions with the "
                  "one before it, as in apart,node",
                  model));
}

std::optional<double> step_under(const Ledger& ledger, Condition condition) {
  const auto found = ledger.step_by_condition.find(condition);
  return found == ledger.step_by_condition.end() ? std::nullopt : std::optional(found->second.s);
}

// How much longer layers take in the step than by themselves: ranks of a node slow each other down, and what was timed
// by itself, with launches that a step hides, must fit into the step.
double stretch(const Ledger& ledger, const StepShape& shape) {
  const std::optional<double> solo_s = step_under(ledger, Condition::solo),
                              apart_s = step_under(ledger, Condition::apart);
  const std::optional<double> alone_s = solo_s ? solo_s : apart_s;
  if (!alone_s || !(*alone_s > 0)) return 1;
  const double contention = apart_s ? *apart_s / *alone_s : 1;
  const double layers_s = shape.forward_s + shape.backward_s;
  return contention * (layers_s > 0 ? std::min(1.0, *alone_s / layers_s) : 1);
}

double step_with_communication(const Ledger& ledger) {
  const std::optional<double> joined_s = step_under(ledger, Condition::joined);
  return joined_s ? *joined_s : step_under(ledger, Condition::node).value_or(ledger.step.s);
}

StepShape shape_of_profile(const Profile& profile, const Graph& graph) {
  StepJob job = make_step_job(graph, profile.layers, profile.job.bucket_bytes);
  job.buckets.clear();
  for (const Bucket& bucket : profile.buckets) job.buckets.push_back(bucket.bytes);
  check(job);
  return shape_of(job);
}

// What two profiles must share, as people would say it.
std::string describe_setting(const Profile& profile) {
  const Job& job = profile.job;
  return fmt::format("{} ranks on {} nodes, {}, {}, {}, buckets of {} bytes{}{}", job.ranks, node_count(profile),
                     job.device.text(), job.dtype, job.backend, job.bucket_bytes,
                     job.inject.empty() ? "" : ", injected ", to_string(job.inject));
}

}  // namespace

Observation observe(const Profile& profile) {
  check_usable(profile);
  const Job& job = profile.job;
  const Graph graph = graph_of(job);
  const Ledger ledger = attribute(profile);
  StepShape shape = shape_of_profile(profile, graph);
  const double ratio = stretch(ledger, shape);
  Observation observation;
  observation.model = job.model;
  observation.batch = job.batch;
  observation.layers = count_layers(graph);
  observation.backward_s = shape.backward_s * ratio;
  for (ReadyBucket& bucket : shape.buckets) {
    bucket.ready_s *= ratio;
    observation.gradient_bytes += bucket.bytes;
  }
  observation.buckets = std::move(shape.buckets);
  observation.step_s = step_with_communication(ledger);
  if (!(observation.step_s > 0))
    throw Error(fmt::format("the steps of {} took no time: the profile is damaged", job.model));
  observation.stall = communication_stall(ledger, job.model);
  observation.in_flight = job.backend == "gloo" ? kGlooThreads : 1;
  return observation;
}

double overlap_window_s(const Observation& observation) {
  return observation.buckets.empty() ? 0 : observation.backward_s - observation.buckets.front().ready_s;
}

void check_alike(std::span<const Profile> profiles) {
  for (const Profile& profile : profiles) {
    const std::string first = describe_setting(profiles.front()), other = describe_setting(profile);
    if (other == first) continue;
    throw Error(fmt::format("{} was measured with {}, but {} with {}: study them apart", profile.job.model, other,
                            profiles.front().job.model, first));
  }
}

}  // namespace stash
