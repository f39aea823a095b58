#include "stash/measure/link_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/statistics.h"
#include "stash/measure/engine/device.h"

namespace stash {
namespace {

constexpr double kCallBatch_s = 0.01;  // calls are timed together until they take this long
constexpr int kMostCalls = 50;

// One kind of call among some ranks.
class Call {
 public:
  virtual ~Call() = default;
  virtual const char* name() const = 0;
  virtual void prepare(std::int64_t bytes) = 0;
  virtual void run() = 0;
  virtual bool is_right() = 0;  // after one run on what prepare() made
};

// The group's size and this rank's place in it, with the backend that carries it.
struct Scope {
  SwitchBackend& backend;
  std::vector<int> ranks;  // that take part, of all
  int own = -1;            // this rank's place among them
  int group_size = 0;      // of the backend: pieces are those of the whole group
  int group_rank = 0;
  c10::Device device;

  double sum() const {
    double total = 0;
    for (const int rank : ranks) total += rank + 1;
    return total;
  }
};

at::TensorOptions options_of(const Scope& scope) { return at::TensorOptions().dtype(at::kFloat).device(scope.device); }

class AllReduce final : public Call {
 public:
  explicit AllReduce(Scope& scope) : scope_(scope) {}
  const char* name() const override { return "allreduce"; }
  void prepare(std::int64_t bytes) override {
    data_ = {at::full({std::max<std::int64_t>(1, bytes / 4)}, scope_.group_rank + 1.0, options_of(scope_))};
  }
  void run() override { scope_.backend.allreduce(data_, {})->wait(); }
  bool is_right() override { return data_[0].eq(scope_.sum()).all().item<bool>(); }

 private:
  Scope& scope_;
  std::vector<at::Tensor> data_;
};

// Pieces of the whole group are there; where calls are confined to a node only those of its ranks travel.
std::int64_t piece_length(const Scope& scope, std::int64_t bytes) {
  return std::max<std::int64_t>(1, bytes / 4 / static_cast<std::int64_t>(scope.ranks.size()));
}

class AllGather final : public Call {
 public:
  explicit AllGather(Scope& scope) : scope_(scope) {}
  const char* name() const override { return "allgather"; }
  void prepare(std::int64_t bytes) override {
    length_ = piece_length(scope_, bytes);
    input_ = at::full({length_}, scope_.group_rank + 1.0, options_of(scope_));
    output_ = at::zeros({length_ * scope_.group_size}, options_of(scope_));
  }
  void run() override { scope_.backend._allgather_base(output_, input_, {})->wait(); }
  bool is_right() override {
    return std::all_of(scope_.ranks.begin(), scope_.ranks.end(), [&](int rank) {
      return output_.narrow(0, rank * length_, length_).eq(rank + 1.0).all().item<bool>();
    });
  }

 private:
  Scope& scope_;
  std::int64_t length_ = 0;
  at::Tensor input_, output_;
};

class ReduceScatter final : public Call {
 public:
  explicit ReduceScatter(Scope& scope) : scope_(scope) {}
  const char* name() const override { return "reduce_scatter"; }
  void prepare(std::int64_t bytes) override {
    const std::int64_t length = piece_length(scope_, bytes);
    input_ = at::full({length * scope_.group_size}, scope_.group_rank + 1.0, options_of(scope_));
    output_ = at::zeros({length}, options_of(scope_));
  }
  void run() override { scope_.backend._reduce_scatter_base(output_, input_, {})->wait(); }
  bool is_right() override { return output_.eq(scope_.sum()).all().item<bool>(); }

 private:
  Scope& scope_;
  at::Tensor input_, output_;
};

// One rank sends and the other answers with as much; a call is one way.
class Exchange final : public Call {
 public:
  explicit Exchange(Scope& scope) : scope_(scope) {}
  const char* name() const override { return "exchange"; }
  void prepare(std::int64_t bytes) override {
    data_ = {at::full({std::max<std::int64_t>(1, bytes / 4)}, scope_.group_rank + 1.0, options_of(scope_))};
  }
  void run() override {
    const int other = scope_.ranks[scope_.own == 0 ? 1 : 0];
    if (scope_.own == 0) {
      scope_.backend.send(data_, other, 0)->wait();
      scope_.backend.recv(data_, other, 0)->wait();
    } else {
      scope_.backend.recv(data_, other, 0)->wait();
      scope_.backend.send(data_, other, 0)->wait();
    }
  }
  bool is_right() override { return data_[0].eq(scope_.ranks[0] + 1.0).all().item<bool>(); }

 private:
  Scope& scope_;
  std::vector<at::Tensor> data_;
};

// A call's time on the slowest rank that takes part; the others only keep step.
class Stopwatch {
 public:
  Stopwatch(Control& control, const Scope& scope) : control_(control), scope_(scope) {}

  bool takes_part() const { return scope_.own >= 0; }

  double time_s(Call& call, int calls) {
    control_.barrier();
    const std::int64_t start_ns = now_ns();
    if (takes_part()) {
      for (int i = 0; i < calls; ++i) call.run();
      synchronize_device(scope_.device);
    }
    const double own_s = takes_part() ? seconds(now_ns() - start_ns) / calls : 0;
    double slowest_s = 0;
    for (const auto& rank : control_.gather({&own_s, 1})) slowest_s = std::max(slowest_s, rank[0]);
    return slowest_s;
  }

 private:
  Control& control_;
  const Scope& scope_;
};

void sweep(Call& call, const Scope& scope, Control& control, const SweepLimits& limits, LinkTime row,
           std::vector<LinkTime>& rows) {
  Stopwatch watch(control, scope);
  const double ways = row.scope == "pair" ? 2 : 1;
  row.op = call.name();
  for (row.bytes = kSmallestLinkBytes; row.bytes <= limits.most_bytes; row.bytes *= limits.step_factor) {
    if (watch.takes_part()) call.prepare(row.bytes);
    watch.time_s(call, 1);  // connections, buffers
    if (control.any(watch.takes_part() && !call.is_right())) {
      throw Error(fmt::format("{} of {} bytes gave a wrong result: the network, a driver or the backend corrupts data",
                              row.op, row.bytes));
    }
    const double once_s = watch.time_s(call, 1);
    const int calls = std::clamp(static_cast<int>(kCallBatch_s / std::max(once_s, 1e-9)), 1, kMostCalls);
    std::vector<double> times_s;
    for (int i = 0; i < limits.repeats; ++i) times_s.push_back(watch.time_s(call, calls) / ways);
    row.repeats = limits.repeats;
    row.s = median(times_s);
    row.low_s = *std::min_element(times_s.begin(), times_s.end());
    row.high_s = *std::max_element(times_s.begin(), times_s.end());
    rows.push_back(row);
    if (row.high_s * static_cast<double>(limits.step_factor) > limits.call_s) return;
  }
}

int place_of(int rank, const std::vector<int>& ranks) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

}  // namespace

std::vector<LinkTime> sweep_links(SwitchBackend& backend, Control& control, const Team& team, c10::Device device,
                                  const SweepLimits& limits, const std::function<void(std::string_view)>& on_phase) {
  std::vector<LinkTime> rows;
  const auto scope_of = [&](std::vector<int> ranks) {
    const int own = place_of(control.rank(), ranks);
    return Scope{backend, std::move(ranks), own, control.size(), control.rank(), device};
  };
  const auto collectives = [&](std::vector<int> ranks, SwitchPosition position, const LinkTime& row) {
    if (ranks.size() < 2) return;
    Scope scope = scope_of(std::move(ranks));
    backend.set_position(position);
    AllReduce allreduce(scope);
    AllGather allgather(scope);
    ReduceScatter reduce_scatter(scope);
    for (Call* call : std::array<Call*, 3>{&allreduce, &allgather, &reduce_scatter}) {
      on_phase(fmt::format("timing {} {}", call->name(), row.scope == "node" ? "inside a node" : "among all ranks"));
      sweep(*call, scope, control, limits, row, rows);
    }
  };
  const int nodes = team.nodes();
  for (int node = 0; node < nodes; ++node) {
    const std::vector<int> ranks = team.ranks_of_node(node);
    collectives(ranks, SwitchPosition::node, {.scope = "node", .node = node, .ranks = static_cast<int>(ranks.size())});
  }
  if (nodes > 1) {
    std::vector<int> all(static_cast<std::size_t>(control.size()));
    std::iota(all.begin(), all.end(), 0);
    collectives(all, SwitchPosition::pass, {.scope = "joined", .ranks = control.size()});
    backend.set_position(SwitchPosition::pass);
    on_phase("timing exchanges between nodes");
    for (int node = 0; node < (nodes == 2 ? 1 : nodes); ++node) {
      const int other = (node + 1) % nodes;
      Scope scope = scope_of({team.ranks_of_node(node).front(), team.ranks_of_node(other).front()});
      Exchange exchange(scope);
      sweep(exchange, scope, control, limits, {.scope = "pair", .node = node, .other = other, .ranks = 2}, rows);
    }
  }
  backend.set_position(SwitchPosition::pass);
  return rows;
}

}  // namespace stash
