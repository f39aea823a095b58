#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/serve_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/inner_verbs.h"
#include "stash/cli/verbs/serve_verbs.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/live/local/local_state.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/serve/batching/batch_rule.h"
#include "stash/serve/load/run_load.h"
#include "stash/serve/server/model_server.h"

namespace stash {
namespace {

constexpr std::int64_t kLargestRequest = std::int64_t{1} << 32;

class ServeVerb final : public Verb {
 public:
  std::string name() const override { return "serve"; }
  std::string description() const override { return "Serve models over HTTP within a latency objective"; }

  void add_flags(CLI::App& app) override {
    verbs_.add(app, make_serve_bench_verb());
    verbs_.add(app, make_serve_predict_verb());
    flags_.add_to(app);
    app.add_option("--host", address_.host, "Address to listen on; 0.0.0.0: every one of this machine")
        ->type_name("ADDRESS")
        ->capture_default_str();
    app.add_option("--port", address_.port, "Port to listen on; 0: a free one")
        ->type_name("PORT")
        ->capture_default_str();
    app.add_option("--connections", limits_.connections, "Most connections at a time")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--max-request", most_request_, "Largest body of a request")
        ->type_name("SIZE")
        ->capture_default_str();
    app.add_option("--timeout", timeout_, "For a request to come once it has begun, and for its answer to be taken")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_option("--announce", announce_, "File to write when it listens: its process and port, as JSON")
        ->type_name("FILE");
    app.footer(
        "Examples:\n"
        "  stash serve --model resnet50 --objective 50ms\n"
        "  stash serve --model resnet50 --model small=resnet18 --device emulated:T4\n"
        "  stash serve --model a.pt2 --model b=py:my_model.py:load --device cpu\n"
        "  stash serve bench --model resnet50 --objective 50ms --out r50-serve.json\n"
        "  stash serve predict --model resnet50 --on g4dn.xlarge --rate 300 --objective 100ms\n"
        "  stash load --rate 200 --for 10s localhost:8000/resnet50      in another terminal\n"
        "The server speaks the Open Inference Protocol (version 2), with tensors as JSON or as bytes.\n");
  }

  int run() override {
    if (Verb* const inner = verbs_.chosen()) return inner->run();
    check_limits();
    const ServeSettings settings = flags_.settings();
    StopSignals signals;
    if (flags_.is_emulated()) {
      std::vector<ServedModel> models = flags_.models();
      const std::string what = described(models, settings);
      ModelServer server(address_, std::move(models), settings, limits_);
      return serve(server, what, signals);
    }
    const std::unique_ptr<WorkerCrew> workers = flags_.begin_loading(limits_.memory_bytes);
    std::vector<ServedModel> models;
    if (!wait_for(*workers, signals, models)) return kExitInterrupted;
    const std::string what = described(models, settings);  // UsageError where the objective cannot be met
    ModelServer server(address_, *workers, settings, limits_);
    return serve(server, what, signals);
  }

 private:
  static bool wait_for(WorkerCrew& workers, const StopSignals& signals, std::vector<ServedModel>& models) {
    StatusLine line;
    const bool is_loaded = workers.load_all(
        signals.fd(),
        [&](std::size_t left) {
          line.show(fmt::format("loading and measuring {} of {} models", left, workers.size()));
        },
        [&](std::string_view warning) { line.say(warning); });
    for (std::size_t i = 0; is_loaded && i < workers.size(); ++i) {
      if (auto model = workers.at(i).loaded_model()) models.push_back(std::move(*model));
    }
    return is_loaded;
  }

  int serve(ModelServer& server, const std::string& what, StopSignals& signals) {
    const bool is_six = address_.host.find(':') != std::string::npos;
    print_or_write(
        fmt::format("http://{}{}{}:{}\n", is_six ? "[" : "", address_.host, is_six ? "]" : "", server.port()), "");
    if (!announce_.empty()) write_announcement(announce_, {own_identity(), server.port()});
    tell(what + "stash: press Ctrl-C to stop\n");
    server.run(signals.fd());
    while (signals.take()) continue;
    return 0;
  }

  static void tell(const std::string& text) { fmt::print(stderr, "{}", text); }

  static std::string described(const std::vector<ServedModel>& models, const ServeSettings& settings) {
    std::string text;
    for (const ServedModel& model : models) {
      const int largest = std::min(settings.most_batch, model.most_batch.value_or(settings.most_batch));
      const int most =
          settings.batching == BatchingWay::fixed ? largest : rows_within(model.times, settings.objective_s, largest);
      text += fmt::format("stash: {}: {}, {} for 1 sample, {} for {}\n", model.name, model.platform,
                          format_duration(model.times.at(1)), format_duration(model.times.at(most)), most);
    }
    return text;
  }

  void check_limits() {
    if (address_.port < 0 || address_.port > 65535) {
      throw UsageError(fmt::format("--port takes 0 to 65535, not {}", address_.port));
    }
    if (limits_.connections < 1 || limits_.connections > kMostConnections) {
      throw UsageError(fmt::format("--connections takes 1 to {}, not {}", kMostConnections, limits_.connections));
    }
    const std::int64_t most = parse_bytes(most_request_, "--max-request");
    if (most < 1 || most > kLargestRequest) throw UsageError("--max-request takes 1 to 4GiB, like 64MiB");
    limits_.request_bytes = static_cast<std::size_t>(most);
    limits_.memory_bytes = std::max(limits_.memory_bytes, 2 * limits_.request_bytes);
    limits_.request_s = parse_duration_s(timeout_, "--timeout");
    if (!(limits_.request_s > 0)) throw UsageError("--timeout takes a time above 0, like 30s");
  }

  InnerVerbs verbs_;
  ServeFlags flags_;
  ListenAddress address_;
  ServeLimits limits_;
  std::string most_request_ = "64MiB";
  std::string timeout_ = "30s";
  std::string announce_;
};

}  // namespace

std::unique_ptr<Verb> make_serve_verb() { return std::make_unique<ServeVerb>(); }

}  // namespace stash
