#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>

#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/units.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/report/load_report.h"
#include "stash/serve/load/arrival_trace.h"
#include "stash/serve/load/client_socket.h"
#include "stash/serve/load/load_request.h"
#include "stash/serve/load/load_summary.h"
#include "stash/serve/load/run_load.h"

namespace stash {
namespace {

constexpr std::size_t kLargestBody = 256 << 20;
constexpr double kMetadata_s = 10;

class LoadVerb final : public Verb {
 public:
  std::string name() const override { return "load"; }
  std::string description() const override { return "Send requests to a model server and time its answers"; }

  void add_flags(CLI::App& app) override {
    app.add_option("target", target_,
                   "HOST:PORT/MODEL of a server that speaks the Open Inference Protocol, or http://…")
        ->required()
        ->type_name("TARGET");
    app.add_option("--rate", rate_, "Requests per second")->type_name("N");
    app.add_option("--for", duration_, "How long to send; default: 10s, or the whole trace")->type_name("TIME");
    app.add_option("--spacing", spacing_, "poisson (as independent users send) or constant")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--trace", trace_, "Recorded traffic: a CSV of times, or of requests per second or minute")
        ->type_name("FILE");
    app.add_option("--scale", scale_, "With --trace: send this many requests for each recorded one")
        ->type_name("RATIO")
        ->capture_default_str();
    app.add_option("--seed", seed_, "Seed of arrivals and tensors")->type_name("N")->capture_default_str();
    app.add_option("--objective", objective_, "Latency to meet: the report says how many requests did")
        ->type_name("TIME");
    app.add_option("--connections", options_.connections, "Connections to the server, made beforehand")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--in-flight", options_.in_flight,
                   "Requests that wait on one connection; more than 1 is HTTP pipelining")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--timeout", timeout_, "A request without an answer for this long has failed")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_flag("--json-tensors", json_tensors_, "Send tensors as JSON numbers instead of bytes");
    app.add_option("--post", body_, "Body to post to an http:// address: a text, or @FILE")->type_name("BODY");
    app.add_option("--content-type", type_, "Content type of --post")->type_name("TYPE")->capture_default_str();
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash load --rate 400 --for 30s localhost:8000/resnet50\n"
        "  stash load --trace day.csv --scale 0.1 --objective 50ms localhost:8000/resnet50\n"
        "  stash load --rate 100 --post '{\"x\": 1}' http://localhost:8101/inference\n"
        "Requests are planned before the first one is sent, and a slow server does not hold up those that follow.\n"
        "Latency counts from the planned time.\n");
  }

  int run() override {
    const Format format = format_.get();
    const LoadTarget target = parse_load_target(target_);
    check_numbers();
    const ArrivalPlan plan = make_plan();
    const std::string request = make_request(target);
    StopSignals signals;
    StatusLine line;
    options_.stop_fd = signals.fd();
    options_.on_tick = [&](std::size_t sent, std::size_t answered) {
      line.show(fmt::format("sent {} of {} requests, {} answered", sent, plan.size(), answered));
    };
    const LoadRun run = run_load(target, request, plan, options_);
    while (signals.take()) continue;
    LoadReport report{
        .target = target_, .arrivals = arrivals_, .objective_s = objective_s_, .summary = {}, .why_rejected = {}};
    report.summary = summarize_load(run.requests, objective_s_);
    report.why_rejected = why_rejected(report.summary);
    report.interrupted = run.interrupted;
    line.show("");
    print_or_write(format == Format::json  ? load_json(report)
                   : format == Format::csv ? load_csv(report)
                                           : load_text(report),
                   out_);
    if (run.interrupted) return kExitInterrupted;
    return report.why_rejected.empty() && report.summary.answered > 0 ? 0 : kExitFault;
  }

 private:
  void check_numbers() {
    if (options_.connections < 1 || options_.connections > kMostConnections) {
      throw UsageError(fmt::format("--connections takes 1 to {}, not {}", kMostConnections, options_.connections));
    }
    if (options_.in_flight < 1 || options_.in_flight > kMostInFlight) {
      throw UsageError(fmt::format("--in-flight takes 1 to {}, not {}", kMostInFlight, options_.in_flight));
    }
    options_.timeout_s = parse_duration_s(timeout_, "--timeout");
    if (objective_) objective_s_ = parse_duration_s(*objective_, "--objective");
  }

  ArrivalPlan make_plan() {
    const std::optional<double> duration_s =
        duration_ ? std::optional(parse_duration_s(*duration_, "--for")) : std::nullopt;
    if (!trace_.empty()) {
      if (rate_) throw UsageError("--trace brings its own rate: leave out --rate, or change it with --scale");
      if (!(scale_ > 0) || scale_ > 1e6) throw UsageError("--scale takes a number above 0, like 0.1");
      arrivals_ = fmt::format("trace {}", trace_);
      if (scale_ != 1) arrivals_ += fmt::format(" times {:g}", scale_);
      return read_arrivals(trace_, {.scale = scale_, .duration_s = duration_s.value_or(1e18), .seed = seed_});
    }
    if (!rate_) throw UsageError("say how many requests to send: --rate 100, or --trace FILE");
    if (!(*rate_ > 0)) throw UsageError("--rate takes a number above 0, like 100");
    const Spacing spacing = parse_spacing(spacing_);
    arrivals_ = fmt::format("{:g} per second, {}", *rate_, to_string(spacing));
    return plan_arrivals(*rate_, duration_s.value_or(10), spacing, seed_);
  }

  std::string make_request(const LoadTarget& target) const {
    if (target.model.empty()) {
      if (!body_) throw UsageError("an http:// address needs a body: --post BODY, or --post @FILE");
      if (!std::ranges::all_of(type_, [](char c) { return c >= ' ' && c < '\x7f'; })) {
        throw UsageError("--content-type takes plain text, like application/json");
      }
      const bool is_file = body_->starts_with('@');
      return post_request(target, type_, is_file ? read_file(body_->substr(1), kLargestBody) : *body_);
    }
    if (body_) throw UsageError("--post is for http:// addresses; a model's requests are made from its inputs");
    return infer_request(target, ask(target, metadata_request(target), kMetadata_s),
                         json_tensors_ ? TensorForm::json : TensorForm::binary, seed_);
  }

  std::string target_;
  std::optional<double> rate_;
  std::optional<std::string> duration_, objective_, body_;
  std::optional<double> objective_s_;
  std::string spacing_ = "poisson";
  std::string trace_;
  double scale_ = 1;
  std::uint64_t seed_ = 1;
  std::string timeout_ = "30s";
  bool json_tensors_ = false;
  std::string type_ = "application/json";
  std::string arrivals_;
  LoadOptions options_;
  FormatFlag format_ = list_format();
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_load_verb() { return std::make_unique<LoadVerb>(); }

}  // namespace stash
