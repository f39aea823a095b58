#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stash/predict/event_queue.h"
#include "stash/predict/input.h"
#include "stash/predict/rank_groups.h"

namespace stash {
namespace {

constexpr std::int64_t kFewestSteps = 24;
constexpr std::int64_t kMostSteps = 400;
constexpr std::size_t kLongestPeriod =
    64;                              // in steps, that is looked for: workers and cores that do not divide a batch
constexpr double kSameRatio = 1e-9;  // of the step: two periods are equal
constexpr std::int64_t kDrawnSamples = 20000;  // of a rank, where their average is wanted

// What an event's id says: something has ended for a rank; a sample's slot stands above the rank.
enum class EndedInInput : std::uint64_t { read, sample, copy, micro_batch, step };
constexpr int kRankBits = 24;

constexpr std::uint64_t make_id(EndedInInput ended, std::size_t rank, std::size_t slot = 0) {
  return static_cast<std::uint64_t>(ended) | static_cast<std::uint64_t>(rank) << 3 |
         static_cast<std::uint64_t>(slot) << (3 + kRankBits);
}

std::uint64_t mix(std::uint64_t value) {  // splitmix64
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// Steps after which as many things that take samples in turn begin a step with the same one again.
std::size_t repeats_after(std::int64_t takers, std::int64_t samples_a_step) {
  return static_cast<std::size_t>(takers / std::gcd(takers, samples_a_step));
}

class InputEvents {
 public:
  InputEvents(const StepJob& job, const Cluster& cluster, const Consumption& consumption, const InputRun& run)
      : job_(job),
        consumption_(consumption),
        cached_ratio_(run.cached_ratio),
        times_(sample_times(job, cluster, 0)),
        shared_storage_(!cluster.storage_per_rank),
        samples_(static_cast<std::int64_t>(job.batch) * consumption.accumulation) {
    const RankGroups groups = group_ranks(cluster, run.collapse);
    for (std::size_t node = 0; node < groups.nodes.size(); ++node) add_node(groups, node);
    slips_after_ =
        repeats_after(job.input->workers, samples_) + repeats_after(times_.servers, samples_ * cluster.ranks_per_node);
  }

  EventRun run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      Rank& state = ranks_[rank];
      state.may_take = true;
      state.limit = static_cast<std::int64_t>(job_.input->prefetch) * job_.batch;
      start_samples(rank, 0);
    }
    for (; !steady(); ++events_) {
      const Event event = queue_.pop();
      handle(event);
    }
    return {step_s_, events_};
  }

 private:
  struct Node {
    double storage_free_s = 0;
    std::vector<double> core_free_s;
    std::size_t core = 0;  // the one that is free first: samples take equally long
  };
  struct Rank {
    std::size_t node = 0;
    double late_s = 0;
    int idle_workers = 0;
    std::int64_t ticket = 0;   // next sample
    std::int64_t limit = 0;    // of tickets
    std::int64_t taken = 0;    // batches
    std::vector<int> missing;  // samples, by slot
    double storage_free_s = 0;
    int micro_batch = 0;
    bool may_take = false;  // there is room on the device
    bool copied = false;    // the next batch is on the device
    bool computing = false;
  };

  void add_node(const RankGroups& groups, std::size_t index) {
    const NodeGroup& node = groups.nodes[index];
    for (std::size_t i = node.first_rank_group; i < node.first_rank_group + node.rank_groups; ++i) {
      for (int copy = 0; copy < groups.ranks[i].ranks; ++copy) {
        Rank rank;
        rank.node = nodes_.size();
        rank.late_s = groups.ranks[i].late_s;
        rank.idle_workers = job_.input->workers;
        rank.missing.assign(static_cast<std::size_t>(job_.input->prefetch), job_.batch);
        ranks_.push_back(std::move(rank));
      }
    }
    nodes_.push_back({.core_free_s = std::vector<double>(static_cast<std::size_t>(times_.servers))});
  }

  void handle(const Event& event) {
    const std::size_t rank = (event.id >> 3) & ((1u << kRankBits) - 1);
    const std::size_t slot = event.id >> (3 + kRankBits);
    switch (static_cast<EndedInInput>(event.id & 7)) {
      case EndedInInput::read:
        return decode(rank, slot, event.time_s);
      case EndedInInput::sample:
        return end_sample(rank, slot, event.time_s);
      case EndedInInput::copy:
        ranks_[rank].copied = true;
        return compute(rank, event.time_s);
      case EndedInInput::micro_batch:
        ++ranks_[rank].micro_batch;
        return end_computing(rank, event.time_s);
      case EndedInInput::step:
        return end_step(event.time_s);
    }
  }

  bool is_cached(std::size_t rank, std::int64_t ticket) const {
    if (cached_ratio_ <= 0) return false;
    const std::uint64_t drawn = mix(mix(job_.seed ^ mix(rank)) + static_cast<std::uint64_t>(ticket));
    return static_cast<double>(drawn >> 11) * 0x1p-53 < cached_ratio_;
  }

  void start_samples(std::size_t rank, double now_s) {
    Rank& state = ranks_[rank];
    for (; state.idle_workers > 0 && state.ticket < state.limit; --state.idle_workers) {
      const std::int64_t ticket = state.ticket++;
      const std::size_t slot = static_cast<std::size_t>(ticket / job_.batch) % state.missing.size();
      if (times_.read_s == 0 || is_cached(rank, ticket)) {
        decode(rank, slot, now_s);
        continue;
      }
      double& free_s = shared_storage_ ? nodes_[state.node].storage_free_s : state.storage_free_s;
      free_s = std::max(free_s, now_s) + times_.read_s;
      queue_.push(free_s, make_id(EndedInInput::read, rank, slot));
    }
  }

  void decode(std::size_t rank, std::size_t slot, double now_s) {
    Node& node = nodes_[ranks_[rank].node];
    double done_s = now_s;
    if (times_.cpu_s > 0) {
      double& free_s = node.core_free_s[node.core];
      node.core = (node.core + 1) % node.core_free_s.size();
      done_s = free_s = std::max(free_s, now_s) + times_.cpu_s;
    }
    queue_.push(std::max(done_s, now_s + times_.least_s), make_id(EndedInInput::sample, rank, slot));
  }

  void end_sample(std::size_t rank, std::size_t slot, double now_s) {
    ++ranks_[rank].idle_workers;
    if (--ranks_[rank].missing[slot] == 0) take(rank, now_s);
    start_samples(rank, now_s);
  }

  void take(std::size_t rank, double now_s) {
    Rank& state = ranks_[rank];
    int& missing = state.missing[static_cast<std::size_t>(state.taken) % state.missing.size()];
    if (!state.may_take || missing > 0) return;
    state.may_take = false;
    missing = job_.batch;
    ++state.taken;
    state.limit += job_.batch;
    queue_.push(now_s + consumption_.copy_s, make_id(EndedInInput::copy, rank));
    start_samples(rank, now_s);
  }

  void compute(std::size_t rank, double now_s) {
    Rank& state = ranks_[rank];
    if (state.computing || !state.copied) return;
    state.computing = true;
    state.copied = false;
    const double from_s = now_s + (state.micro_batch == 0 ? consumption_.overhead_s + state.late_s : 0);
    if (state.micro_batch + 1 < consumption_.accumulation) {
      queue_.push(from_s + consumption_.micro_batch_s, make_id(EndedInInput::micro_batch, rank));
    } else {
      join(from_s);
    }
    if (consumption_.copies_overlap) allow_take(rank, now_s);
  }

  // Collectives end on all ranks together, as late as if all had come with the last.
  void join(double from_s) {
    latest_s_ = std::max(latest_s_, from_s);
    if (++joined_ < ranks_.size()) return;
    queue_.push(latest_s_ + consumption_.last_s, make_id(EndedInInput::step, 0));
    joined_ = 0;
    latest_s_ = 0;
  }

  void allow_take(std::size_t rank, double now_s) {
    ranks_[rank].may_take = true;
    take(rank, now_s);
  }

  void end_computing(std::size_t rank, double now_s) {
    ranks_[rank].computing = false;
    if (!consumption_.copies_overlap) allow_take(rank, now_s);
    compute(rank, now_s);
  }

  void end_step(double now_s) {
    ends_s_.push_back(now_s);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].micro_batch = 0;
      end_computing(rank, now_s);
    }
  }

  // Whether the steps repeat with a period, or enough are done that their average will do.
  bool steady() {
    if (ends_s_.size() == looked_at_) return false;
    looked_at_ = ends_s_.size();
    const bool drawn = cached_ratio_ > 0 && cached_ratio_ < 1;
    for (std::size_t period = 1; !drawn && period <= kLongestPeriod; ++period) {
      if (repeats(period)) return true;
    }
    const std::int64_t most = drawn ? std::clamp(kDrawnSamples / samples_, kFewestSteps, kMostSteps) : kMostSteps;
    if (looked_at_ < static_cast<std::size_t>(most)) return false;
    const std::size_t half = looked_at_ / 2;
    step_s_ = (ends_s_.back() - ends_s_[half]) / static_cast<double>(looked_at_ - 1 - half);
    return true;
  }

  // Each step ended as long after the one a period before, over as many steps as the queue is deep and as the workers
  // and the cores need to come to the same place in a batch again: shorter patterns repeat for a while and then slip.
  bool repeats(std::size_t period) {
    const std::size_t steps = 2 * period + 2 * static_cast<std::size_t>(job_.input->prefetch) + slips_after_;
    if (ends_s_.size() < steps + period) return false;
    const double last_s = ends_s_.back() - ends_s_[ends_s_.size() - 1 - period];
    for (std::size_t back = 1; back < steps; ++back) {
      const std::size_t at = ends_s_.size() - 1 - back;
      if (std::abs(ends_s_[at] - ends_s_[at - period] - last_s) > kSameRatio * last_s) return false;
    }
    step_s_ = last_s / static_cast<double>(period);
    return true;
  }

  const StepJob& job_;
  const Consumption& consumption_;
  double cached_ratio_;
  SampleTimes times_;
  bool shared_storage_;
  std::int64_t samples_;  // of a rank in a step
  std::vector<Node> nodes_;
  std::vector<Rank> ranks_;
  EventQueue queue_;
  std::size_t joined_ = 0;
  double latest_s_ = 0;
  std::vector<double> ends_s_;  // of steps
  std::size_t looked_at_ = 0;
  std::size_t slips_after_ = 0;
  double step_s_ = 0;
  std::int64_t events_ = 0;
};

}  // namespace

EventRun run_input(const StepJob& job, const Cluster& cluster, const Consumption& consumption, const InputRun& run) {
  return InputEvents(job, cluster, consumption, run).run();
}

}  // namespace stash
