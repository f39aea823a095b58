#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/serve_flags.h"
#include "stash/cli/flags/usd_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/serve_bench_output.h"
#include "stash/cli/verbs/serve_verbs.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/units.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/report/serve_bench_report.h"
#include "stash/report/terminal.h"
#include "stash/serve/bench/run_bench.h"
#include "stash/serve/server/model_server.h"

namespace stash {
namespace {

class ServeBenchVerb final : public Verb {
 public:
  std::string name() const override { return "bench"; }
  std::string description() const override { return "Measure where a request's time goes, and what each switch saves"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app);
    flags_.add_injection_to(app);
    app.add_option("--rate", options_.rate_per_s, "Requests per second; default: half of what the device can do")
        ->type_name("N");
    app.add_option("--for", duration_, "How long to measure: as many rounds as fit")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_option("--window", window_, "How long each condition of a round lasts")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_option("--seed", options_.seed, "Seed of arrivals, tensors and the order of windows")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--connections", options_.connections, "Connections to the server")
        ->type_name("N")
        ->capture_default_str();
    format_.add_to(app);
    usd_.add_to(app, "Price of this machine, for dollars per million requests");
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash serve bench --model resnet50 --objective 50ms --out r50-serve.json\n"
        "  stash report r50-serve.json --format html --out r50-serve.html\n"
        "One server and one open-loop load on this machine; the conditions alternate in windows.\n"
        "With --out the JSON goes to the file, and the report to standard output.\n");
  }

  int run() override {
    const Format format = format_.get();
    options_.settings = flags_.settings();
    flags_.only_source();
    if (flags_.is_emulated()) flags_.models();  // or they cannot be served
    check_numbers();
    if (!out_.empty()) check_writable(out_);
    StopSignals signals;
    StatusLine line;
    options_.stop_fd = signals.fd();
    options_.on_tick = [&](std::size_t sent, std::size_t planned) {
      line.show(fmt::format("sent {} of {} requests", sent, planned));
    };
    ServeBench bench;
    if (flags_.is_emulated()) {
      bench = run_bench(flags_.models().front(), options_);
    } else {
      const std::unique_ptr<WorkerCrew> workers = flags_.begin_loading(ServeLimits{}.memory_bytes);
      line.show("loading and measuring the model");
      if (!workers->load_all(signals.fd(), {}, {})) return kExitInterrupted;
      bench = run_bench(*workers, options_);
    }
    const bool interrupted = signals.take();
    while (signals.take()) continue;
    line.show("");
    if (!out_.empty()) write_file_atomically(out_, serve_bench_json(bench, {}));
    print_or_write(render_serve_bench(bench, format, usd_.get(), options_for_stdout()), "");
    if (interrupted) return kExitInterrupted;
    return bench.why_rejected.empty() && bench.requests > 0 ? 0 : kExitFault;
  }

 private:
  void check_numbers() {
    if (options_.rate_per_s && !(*options_.rate_per_s > 0)) throw UsageError("--rate takes a number above 0, like 100");
    options_.duration_s = parse_duration_s(duration_, "--for");
    options_.window_s = parse_duration_s(window_, "--window");
    if (!(options_.window_s >= kLeastWindow_s)) throw UsageError("--window takes 50ms or more, like 500ms");
    if (options_.connections < 1 || options_.connections > kMostBenchConnections) {
      throw UsageError(fmt::format("--connections takes 1 to {}, not {}", kMostBenchConnections, options_.connections));
    }
  }

  static constexpr double kLeastWindow_s = 0.05;
  static constexpr int kMostBenchConnections = 4096;
  ServeFlags flags_;
  BenchOptions options_;
  std::string duration_ = "30s";
  std::string window_ = "500ms";
  FormatFlag format_ = page_format();
  UsdFlag usd_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_serve_bench_verb() { return std::make_unique<ServeBenchVerb>(); }

}  // namespace stash
