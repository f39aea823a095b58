#include <fmt/format.h>
#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stash/cli/flags/fleet_flags.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/fleet_verbs.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/units.h"
#include "stash/fleet/live/fleet_controller.h"
#include "stash/fleet/live/fleet_providers.h"
#include "stash/fleet/live/fleet_summary.h"
#include "stash/fleet/live/folder_lock.h"
#include "stash/fleet/policy/make_fleet_policy.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/report/fleet_run_report.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFleetRunFormats{Format::text, Format::json};
constexpr double kTick_s = 1;  // of the fleet's clock, and not more often than
constexpr double kShortestTick_s = 0.1;
constexpr double kClusterTick_s = 5;  // each takes a few commands of the cluster
constexpr double kRateSpan_s = 30;    // of the rate that is shown
constexpr double kMostSpeed = 100;

class FleetRunVerb final : public Verb {
 public:
  std::string name() const override { return "run"; }
  std::string description() const override { return "Start and stop machines for live traffic"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--provider", provider_,
                   "Who has the machines. local: `stash serve` processes with emulated accelerators here, behind "
                   "HAProxy; kubernetes: deployments, by kubectl; skypilot: services, by sky")
        ->type_name("local|kubernetes|skypilot")
        ->capture_default_str();
    flags_.add_to(app);
    app.add_option("--policy", policy_, "How it is decided: stash, mark or reactive")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--port", port_, "With --provider local: where requests go, on 127.0.0.1; 0: a free port")
        ->type_name("PORT")
        ->capture_default_str();
    app.add_option("--for", duration_, "How long to run; default: until Ctrl-C")->type_name("TIME");
    app.add_option("--folder", folder_,
                   "Folder for the state of the fleet, its log of decisions and what machines print")
        ->type_name("DIR")
        ->capture_default_str();
    app.add_option("--speed", speed_,
                   "With --provider local: the fleet's clock runs this many times as fast, so that starts, minutes and "
                   "prices take less time to see; requests do not")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--image", image_, "With kubernetes or skypilot: the container image that has `stash serve`")
        ->type_name("NAME");
    app.add_option("--namespace", space_, "With kubernetes: the namespace")->type_name("NAME")->capture_default_str();
    app.add_option("--metrics", metrics_,
                   "With kubernetes or skypilot: addresses that tell the load in the text format of Prometheus, like "
                   "http://gateway:8000/metrics; several may be given")
        ->type_name("URL");
    app.add_flag("--keep", keeps_, "Leave all machines running at the end; kubernetes and skypilot do that anyway");
    app.add_flag("--stop", stops_, "With kubernetes or skypilot: stop all machines at the end");
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash fleet run --provider local --model resnet50 --objective 200ms\n"
        "  stash fleet run --model sleep:10ms --policy reactive --speed 10 --for 10m\n"
        "  stash load --rate 50 --for 60s localhost:8000/resnet50      in another terminal\n");
  }

  int run() override {
    const Format format = format_.get();
    check();
    if (!out_.empty()) check_writable(out_);
    const FleetObjective objective = flags_.objective();
    const Market market = flags_.market();
    const auto policy = make_fleet_policy(policy_, market, {.objective = objective});
    const FolderLock lock(folder_);
    StopSignals signals;
    StatusLine line;
    const auto provider = make_fleet_provider(provider_, setup(market, objective));
    FleetController controller(market, *policy, *provider,
                               {.folder = fs::absolute(folder_),
                                .provider = provider_,
                                .speed = speed_,
                                .now_ns = now_ns,
                                .tell = [&](const std::string& text) { line.say(text); }});
    print_or_write(provider->address() + "\n", "");
    line.say(fmt::format("stash: {} machines of {} types may be rented; press Ctrl-C to {}", market.model,
                         market.machines.size(), keeps() ? "end; the machines stay" : "drain and stop all"));
    const auto summary = [&] {
      FleetSummary found = summarize(controller, market, *policy, objective, speed_);
      found.provider = provider_;
      found.address = provider->address();
      return found;
    };
    control(controller, signals, line, summary);
    end(controller, *provider, line);
    FleetSummary last = summary();
    const std::string json = fleet_run_json(last);
    write_file_atomically(fs::path(folder_) / "summary.json", json);
    print_or_write(format == Format::json ? json : fleet_run_text(last), out_);
    return 0;
  }

 private:
  bool keeps() const { return keeps_ || (provider_ != "local" && provider_ != "scripted" && !stops_); }

  void check() const {
    if (std::ranges::find(kFleetProviders, provider_) == kFleetProviders.end()) {
      throw_unknown("provider", provider_, kFleetProviders);
    }
    if (port_ < 0 || port_ > 65535) throw UsageError(fmt::format("--port takes 0 to 65535, not {}", port_));
    if (!(speed_ >= 1 && speed_ <= kMostSpeed)) {
      throw UsageError(fmt::format("--speed takes 1 to {:g}, not {:g}", kMostSpeed, speed_));
    }
    if (speed_ != 1 && provider_ != "local") throw UsageError("--speed is for --provider local: other clocks are real");
    if (keeps_ && stops_) throw UsageError("--keep and --stop exclude each other");
    if (duration_ && !(parse_duration_s(*duration_, "--for") > 0)) {
      throw UsageError("--for takes a time above 0, like 10m");
    }
  }

  ProviderSetup setup(const Market& market, const FleetObjective& objective) const {
    return {.market = &market,
            .objective = objective,
            .folder = fs::absolute(folder_),
            .program = own_program(),
            .model = flags_.model_spec(),
            .port = port_,
            .speed = speed_,
            .image = image_,
            .space = space_,
            .metrics = metrics_};
  }

  template <class Summary>
  void control(FleetController& controller, StopSignals& signals, StatusLine& line, const Summary& summary) const {
    const std::int64_t begun_ns = now_ns();
    const double most_s = duration_ ? parse_duration_s(*duration_, "--for") : 1e18;
    const double tick_s = provider_ == "local" ? std::max(kTick_s / speed_, kShortestTick_s) : kClusterTick_s;
    while (seconds(now_ns() - begun_ns) < most_s) {
      const double left_s = most_s - seconds(now_ns() - begun_ns);
      const std::int64_t next_ns = now_ns() + nanoseconds(std::min(tick_s, left_s));
      controller.tick();
      line.show(fleet_progress(summary(), controller.book().rate_per_s(controller.now_s(), kRateSpan_s)));
      const std::int64_t left_ms = std::max<std::int64_t>((next_ns - now_ns()) / 1'000'000, 0);
      pollfd stop{.fd = signals.fd(), .events = POLLIN, .revents = 0};
      if (poll(&stop, 1, static_cast<int>(left_ms)) > 0 && signals.take()) return;
    }
  }

  void end(FleetController& controller, FleetProvider& provider, StatusLine& line) const {
    controller.save();
    line.say(keeps() ? "ends; the machines stay" : "drains and stops all machines");
    try {
      provider.end(keeps());
      provider.read_load(controller.book(), controller.now_s());
    } catch (const Error& error) {
      line.say(fmt::format("not all was stopped: {}", error.what()));
    }
    controller.save();
    std::error_code ignored;
    // Nobody is to go on with a fleet that is gone.
    if (!keeps()) fs::rename(fs::path(folder_) / "fleet.json", fs::path(folder_) / "ended.json", ignored);
  }

  FleetFlags flags_;
  std::string provider_ = "local";
  std::string policy_ = "stash";
  int port_ = 8000;
  std::optional<std::string> duration_;
  std::string folder_ = "stash-fleet";
  double speed_ = 1;
  std::string image_;
  std::string space_ = "default";
  std::vector<std::string> metrics_;
  bool keeps_ = false;
  bool stops_ = false;
  FormatFlag format_{kFleetRunFormats, "text or json, of the summary at the end"};
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_fleet_run_verb() { return std::make_unique<FleetRunVerb>(); }

}  // namespace stash
