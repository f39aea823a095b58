#include "stash/serve/bench/run_bench.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/serve/batching/batch_rule.h"
#include "stash/serve/bench/bench_windows.h"
#include "stash/serve/load/client_socket.h"
#include "stash/serve/load/load_request.h"
#include "stash/serve/load/planned_arrivals.h"
#include "stash/serve/protocol/model_metadata.h"

namespace stash {
namespace {

constexpr double kLoadRatio = 0.5;         // of what the device can do
constexpr double kMostDefaultRate = 2000;  // of a model that takes no time
constexpr double kTail_s = 0.2;            // of the load, beyond the last window

double default_rate_per_s(const ServedModel& model, const ServeSettings& settings) {
  const int most = std::min(settings.most_batch, model.most_batch.value_or(settings.most_batch));
  const int rows = rows_within(model.times, settings.objective_s, most);
  const double s = model.times.at(rows);
  return s > 0 ? std::min(kMostDefaultRate, kLoadRatio * rows / s) : kMostDefaultRate;
}

// A server in a thread of its own, while it lives.
class BenchServer {
 public:
  BenchServer(const ServedModel& model, const BenchOptions& options)
      : stop_(eventfd(0, EFD_CLOEXEC)),
        server_(std::make_unique<ModelServer>(ListenAddress{.port = 0}, std::vector<ServedModel>{model},
                                              options.settings, limits(options))) {
    watch();
  }
  BenchServer(WorkerCrew& workers, const BenchOptions& options)
      : stop_(eventfd(0, EFD_CLOEXEC)),
        server_(std::make_unique<ModelServer>(ListenAddress{.port = 0}, workers, options.settings, limits(options))) {
    watch();
  }
  void watch() {
    server_->on_answered = [this](const ServedRequest& one) { served_.push_back(one); };
  }
  ~BenchServer() { end(); }

  void begin(std::size_t expected) {
    served_.reserve(expected);
    thread_ = std::thread([this] {
      try {
        server_->run(stop_.fd());
      } catch (...) {
        fault_ = std::current_exception();
      }
    });
  }
  // What was answered.
  const std::vector<ServedRequest>& end() {
    if (thread_.joinable()) {
      eventfd_write(stop_.fd(), 1);
      thread_.join();
    }
    return served_;
  }
  void check() const {
    if (fault_) std::rethrow_exception(fault_);
  }
  ModelServer& server() { return *server_; }

 private:
  static ServeLimits limits(const BenchOptions& options) { return {.connections = options.connections + 16}; }

  ClientSocket stop_;
  std::unique_ptr<ModelServer> server_;
  std::vector<ServedRequest> served_;
  std::exception_ptr fault_;
  std::thread thread_;
};

// Sets the switches of every window when it begins.
void alternate(const std::stop_token& stop, ModelServer& server, const BenchPlan& plan, const std::string& model,
               std::int64_t start_ns) {
  for (std::size_t i = 0; i < plan.windows.size() && !stop.stop_requested(); ++i) {
    sleep_until_ns(start_ns + nanoseconds(static_cast<double>(i) * plan.window_s));
    const BenchCondition& condition = plan.conditions[plan.windows[i]];
    server.set(condition.settings);
    if (condition.reloads) server.reload(model);
  }
}

std::string settings_text(const ServeSettings& settings) {
  return fmt::format("input {}, completion {}, batching {}, batches of up to {}",
                     kInputWays[static_cast<std::size_t>(settings.input)],
                     kCompletionWays[static_cast<std::size_t>(settings.completion)],
                     kBatchingWays[static_cast<std::size_t>(settings.batching)], settings.most_batch);
}

// What makes a difference on a GPU only; sharing needs several models.
void add_unmeasured(std::vector<BenchPrimitive>& primitives, bool has_gpu) {
  if (!has_gpu) {
    primitives.push_back({.name = "copy", .setting = "direct from pinned buffers", .against = "pageable"});
    primitives.push_back({.name = "launch", .setting = "graphs", .against = "eager"});
  }
  primitives.push_back({.name = "sharing", .setting = "by need", .against = "streams"});
}

}  // namespace

namespace {

ServeBench bench_of(const ServedModel& model, WorkerCrew* workers, const BenchOptions& options) {
  rows_within(model.times, options.settings.objective_s, options.settings.most_batch);  // or it cannot be met
  // A real model takes longer to load than a window lasts.
  const BenchSwitches switches{.reload = workers == nullptr && model.load_s > 0,
                               .gpu = workers != nullptr && workers->uses_gpu()};
  const auto conditions =
      static_cast<double>(plan_bench(options.settings, switches, options.window_s, 1, options.seed).conditions.size());
  const int rounds = static_cast<int>(options.duration_s / (conditions * options.window_s));
  if (rounds < 1) {
    throw UsageError(fmt::format("--for {} is too short: a round of {:.0f} conditions takes {}",
                                 format_duration(options.duration_s), conditions,
                                 format_duration(conditions * options.window_s)));
  }
  const BenchPlan plan = plan_bench(options.settings, switches, options.window_s, rounds, options.seed);
  const double rate_per_s = options.rate_per_s.value_or(default_rate_per_s(model, options.settings));
  const double length_s = static_cast<double>(plan.windows.size()) * plan.window_s + kTail_s;
  const ArrivalPlan arrivals = plan_arrivals(rate_per_s, length_s, Spacing::poisson, options.seed);

  const auto owned = workers != nullptr ? std::make_unique<BenchServer>(*workers, options)
                                        : std::make_unique<BenchServer>(model, options);
  BenchServer& bench_server = *owned;
  bench_server.begin(arrivals.size());
  const LoadTarget target = parse_load_target(fmt::format("127.0.0.1:{}/{}", bench_server.server().port(), model.name));
  const std::string request = infer_request(target, model_metadata(model), TensorForm::binary, options.seed);
  std::jthread conductor;
  LoadOptions load{.connections = options.connections, .stop_fd = options.stop_fd};
  load.on_start = [&](std::int64_t start_ns) {
    conductor = std::jthread([&, start_ns](const std::stop_token& stop) {
      alternate(stop, bench_server.server(), plan, model.name, start_ns);
    });
  };
  load.on_tick = [&](std::size_t sent, std::size_t) {
    if (options.on_tick) options.on_tick(sent, arrivals.size());
  };
  const LoadRun run = run_load(target, request, arrivals, load);
  conductor = {};
  const std::vector<ServedRequest>& served = bench_server.end();
  bench_server.check();

  ServeBench bench = summarize_bench(plan, run, served);
  bench.model = model.name;
  bench.platform = model.platform;
  bench.settings = settings_text(options.settings);
  bench.rate_per_s = rate_per_s;
  bench.batches = model.times.rows();
  add_unmeasured(bench.primitives, switches.gpu);
  return bench;
}

}  // namespace

ServeBench run_bench(const ServedModel& model, const BenchOptions& options) {
  return bench_of(model, nullptr, options);
}

ServeBench run_bench(WorkerCrew& workers, const BenchOptions& options) {
  const auto model = workers.at(0).loaded_model();
  if (workers.size() != 1 || !model) throw Error("a bench takes one model that is loaded");
  return bench_of(*model, &workers, options);
}

}  // namespace stash
