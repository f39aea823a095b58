#include "step_events.h"

#include <algorithm>
#include <vector>

#include "stash/predict/event_queue.h"
#include "stash/predict/rank_groups.h"

namespace stash {
namespace {

// What an event's id says: something has ended on a group of ranks or of nodes.
enum class EndedInStep : std::uint64_t { layer, before, across, after };

constexpr std::uint64_t make_id(EndedInStep ended, std::size_t index) {
  return static_cast<std::uint64_t>(ended) | static_cast<std::uint64_t>(index) << 2;
}

class StepEvents {
 public:
  StepEvents(const Training& training, const Cluster& cluster, const StepRun& run)
      : training_(training), cluster_(cluster), run_(run), groups_(group_ranks(cluster, run.collapse)) {
    const std::size_t sent = training.all_reduce.empty() ? 0 : training.shape.buckets.size();
    ranks_.resize(groups_.ranks.size());
    nodes_.resize(groups_.nodes.size(), NodeState{.arrived = std::vector<int>(sent)});
    met_.resize(run.nodes_apart ? 0 : sent);
    for (std::size_t i = 0; i < sent; ++i) {
      plans_.push_back(training.all_reduce.for_bytes(training.shape.buckets[i].bytes));
    }
  }

  EventRun run() {
    start();
    for (; !queue_.empty(); ++events_) {
      const Event event = queue_.pop();
      const std::size_t index = event.id >> 2;
      switch (static_cast<EndedInStep>(event.id & 3)) {
        case EndedInStep::layer:
          end_layer(index, event.time_s);
          break;
        case EndedInStep::before:
          meet(index, event.time_s);
          break;
        case EndedInStep::across:
          end_across(index, event.time_s);
          break;
        case EndedInStep::after:
          end_collective(index, event.time_s);
          break;
      }
    }
    return {last_s_ + training_.job.optimizer_s * training_.slow_down + blocking_s(training_), events_};
  }

 private:
  struct RankState {
    int micro_batch = 0;
    std::size_t layer = 0;  // that runs now, first those forward and then those backward
    std::size_t bucket = 0;
  };
  struct NodeState {
    std::vector<int> arrived;  // ranks, by bucket
    std::size_t ready = 0;     // buckets that all ranks have filled
    std::size_t sent = 0;
    bool busy = false;
  };

  void start() {
    const StepJob& job = training_.job;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const double start_s = job.overhead_s * training_.slow_down + groups_.ranks[i].late_s + run_.copy_s;
      push_layer(i, start_s);
    }
  }

  double layer_s(std::size_t layer) const {
    const std::vector<StepLayer>& layers = training_.job.layers;
    const std::size_t count = layers.size();
    return (layer < count ? layers[layer].forward_s : layers[2 * count - 1 - layer].backward_s) * training_.slow_down;
  }

  void push_layer(std::size_t rank, double now_s) {
    if (training_.job.layers.empty()) return note_end(now_s);
    queue_.push(now_s + layer_s(ranks_[rank].layer), make_id(EndedInStep::layer, rank));
  }

  void end_layer(std::size_t rank, double now_s) {
    const std::size_t count = training_.job.layers.size();
    RankState& state = ranks_[rank];
    const bool last_micro_batch = state.micro_batch + 1 == training_.job.accumulation;
    if (last_micro_batch && state.layer >= count) fill(rank, 2 * count - 1 - state.layer, now_s);
    if (++state.layer < 2 * count) return push_layer(rank, now_s);
    if (last_micro_batch) return note_end(now_s);
    state.layer = 0;
    ++state.micro_batch;
    push_layer(rank, now_s + run_.copy_s);
  }

  void note_end(double now_s) { last_s_ = std::max(last_s_, now_s); }

  // The gradients of `layer` are there, and with them perhaps some buckets are full.
  void fill(std::size_t rank, std::size_t layer, double now_s) {
    RankState& state = ranks_[rank];
    const RankGroup& group = groups_.ranks[rank];
    NodeState& node = nodes_[group.node];
    for (; state.bucket < plans_.size() && training_.shape.buckets[state.bucket].layer == layer; ++state.bucket) {
      node.arrived[state.bucket] += group.ranks;
      while (node.ready < plans_.size() && node.arrived[node.ready] == cluster_.ranks_per_node) ++node.ready;
    }
    send_next(group.node, now_s);
  }

  void send_next(std::size_t index, double now_s) {
    NodeState& node = nodes_[index];
    if (node.busy || node.sent == node.ready) return;
    node.busy = true;
    const double bytes = training_.shape.buckets[node.sent].bytes;
    queue_.push(now_s + plans_[node.sent].inside.s(bytes), make_id(EndedInStep::before, index));
  }

  // Nodes that sum among themselves go on; otherwise all wait for the last.
  void meet(std::size_t index, double now_s) {
    const std::size_t bucket = nodes_[index].sent;
    if (!run_.nodes_apart) {
      met_[bucket] += groups_.nodes[index].nodes;
      if (met_[bucket] < cluster_.nodes) return;
    }
    const double across_s = plans_[bucket].across.s(training_.shape.buckets[bucket].bytes);
    queue_.push(now_s + across_s, make_id(EndedInStep::across, index));
  }

  void end_across(std::size_t index, double now_s) {
    const std::size_t bucket = nodes_[index].sent;
    const double after_s = plans_[bucket].inside.s(training_.shape.buckets[bucket].bytes);
    const std::size_t from = run_.nodes_apart ? index : 0, till = run_.nodes_apart ? index + 1 : nodes_.size();
    for (std::size_t i = from; i < till; ++i) queue_.push(now_s + after_s, make_id(EndedInStep::after, i));
  }

  void end_collective(std::size_t index, double now_s) {
    NodeState& node = nodes_[index];
    node.busy = false;
    ++node.sent;
    note_end(now_s);
    send_next(index, now_s);
  }

  const Training& training_;
  const Cluster& cluster_;
  const StepRun& run_;
  RankGroups groups_;
  std::vector<AllReducePlan> plans_;  // by bucket
  std::vector<RankState> ranks_;
  std::vector<NodeState> nodes_;
  std::vector<int> met_;  // nodes, by bucket
  EventQueue queue_;
  double last_s_ = 0;
  std::int64_t events_ = 0;
};

}  // namespace

EventRun run_step(const Training& training, const Cluster& cluster, const StepRun& run) {
  return StepEvents(training, cluster, run).run();
}

}  // namespace stash
