#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "stash/battery/battery_folder.h"
#include "stash/battery/battery_log.h"
#include "stash/battery/machine_files.h"
#include "stash/battery/run_battery.h"
#include "stash/battery/summary.h"
#include "stash/cli/battery_output.h"
#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/characterize_flags.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/given_flags.h"
#include "stash/cli/flags/start_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/run_progress.h"
#include "stash/cli/suite_ranks.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/units.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/affinity.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/report/battery_report.h"
#include "stash/report/html/battery_page.h"
#include "stash/report/printable.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

// From asking ranks to stop to their end: the supervisor's grace, its SIGTERM and its SIGKILL.
constexpr double kEnding_s = 8;
// The machine's own figures take some twenty seconds; with less than twice that, cases come first.
constexpr double kRoomForFigures_s = 45;

class CharacterizeVerb final : public Verb {
 public:
  std::string name() const override { return "characterize"; }
  std::string description() const override {
    return "Benchmark a whole machine: models, memory, decoding, storage, links";
  }

  void add_flags(CLI::App& app) override {
    app_ = &app;
    app.add_option("--out", out_, "Folder for the results; a call on an existing one resumes")
        ->type_name("DIR")
        ->capture_default_str();
    flags_.add_to(app);
    format_.add_to(app);
    start_.add_to(app);
    app.footer(
        "Examples:\n"
        "  stash characterize --out this-vm                     the eight models of the study\n"
        "  stash characterize --out this-vm                     again: resumes where it stopped\n"
        "  stash characterize --models small --batches 32,64,128 --ranks 1,2,4 --max-time 30m\n"
        "  stash characterize --instance p3.8xlarge --max-cost 5usd\n"
        "  srun -N 2 --ntasks-per-node 4 stash characterize     several machines (docs/clusters.md)\n"
        "  stash report this-vm; stash compare this-vm that-vm\n");
  }

  int run() override {
    format_.check();
    start_.check();
    const GivenFlags given = given_flags(*app_);
    const auto launched = joint_launch(start_);
    if (launched && launched->rank != 0) return follow_suite(*launched, start_, given);
    ranks_.emplace(start_, given);
    const int code = lead();
    ranks_->dismiss(code);
    if (lost_) throw Error(*lost_);
    return code;
  }

 private:
  int lead() {
    flags_.resolve();
    ranks_->gather();
    const BatteryFolder folder(out_);
    const Battery battery = asked_for(folder);
    folder.make();
    BatteryLog log(folder.path());
    folder.tidy();
    const Battery older = folder.plan().value_or(Battery{});
    check_same_machines(battery, older, out_);
    folder.write_plan(merged(battery, older));
    const Budget budget(flags_.caps(ranks_->launched()), log.spent_before_s(), [] { return seconds(now_ns()); });
    ranks_->resolve();  // before Ctrl-C is taken over: a build can be ended by it
    StopSignals signals;
    measure_machine(folder, budget, signals);
    const BatteryRun result = run_cases(battery.cases, folder, log, budget, signals);
    write_results(folder);
    return tell(result, battery.cases.size());
  }

  // What this call is to run; the folder's plan holds what earlier calls were to run too.
  Battery asked_for(const BatteryFolder& folder) const {
    const auto& launched = ranks_->launched();
    const auto older = flags_.says_nothing_of_cases() ? folder.plan() : std::nullopt;
    if (!older) return flags_.battery(count_gpus(), cores(), launched);
    Battery battery = flags_.settings(launched);
    battery.cases = older->cases;
    if (launched) leave_out_other_ranks(battery.cases, launched->process);
    flags_.set_case_time(battery.cases);
    return battery;
  }

  // Of earlier launches of more or fewer processes on the same machines.
  void leave_out_other_ranks(std::vector<Case>& cases, const LaunchedProcess& launched) const {
    if (launched.starts_nodes || cases.empty()) return;
    const int ranks = cases.front().job.ranks;
    std::erase_if(cases, [&](const Case& one) { return one.job.ranks != launched.size; });
    if (!cases.empty()) return;
    throw UsageError(
        fmt::format("the cases in '{}' have {} ranks, and {} started {}: start as many, or name another "
                    "folder with --out",
                    out_, ranks, launched.launcher, launched.size));
  }

  static int cores() { return static_cast<int>(allowed_cores().size()); }

  // Measured once for a folder, and kept at once.
  void measure_machine(const BatteryFolder& folder, const Budget& budget, StopSignals& signals) {
    const bool no_time = budget.left_s().value_or(kRoomForFigures_s) < kRoomForFigures_s;
    if (fs::exists(folder.file("machine.json")) || no_time) return;
    StatusLine line;
    const fs::path storage = flags_.storage.empty() ? folder.path() : fs::path(flags_.storage);
    const std::vector<Figure> figures = measure_figures(
        storage, [&](std::string_view text) { line.show(text); }, [&] { return is_interrupted(signals); });
    if (!figures.empty()) write_file_atomically(folder.file("machine.json"), to_json_text(figures));
  }

  bool is_interrupted(StopSignals& signals) {
    if (signals.take() || lost_) interrupted_ = true;
    return interrupted_;
  }

  BatteryRun run_cases(const std::vector<Case>& cases, const BatteryFolder& folder, BatteryLog& log,
                       const Budget& budget, StopSignals& signals) {
    std::string before;
    const BatterySteps steps{
        .run = [&](const Case& one, std::optional<double> limit_s) { return measure(one, limit_s, before, signals); },
        .interrupted = [&] { return is_interrupted(signals); },
        .on_progress =
            [&](const BatteryProgress& progress) {
              before = fmt::format("case {} of {}, about {} left: {}: ", progress.done + 1, progress.cases,
                                   format_duration(progress.left_s), progress.name);
            }};
    return run_battery(cases, folder, log, budget, steps, flags_.retry());
  }

  CaseOutcome measure(const Case& one, std::optional<double> limit_s, const std::string& before, StopSignals& signals) {
    const std::int64_t start_ns = now_ns();
    bool out_of_time = false;
    RunProgress progress(before);
    try {
      CrewRun result = ranks_->run(one, [&](CrewOptions& options) {
        options.on_tick = [&](const Collector& collector) { progress.show(collector); };
        options.stop = [&] {
          out_of_time = limit_s && seconds(now_ns() - start_ns) > *limit_s - kEnding_s;
          return out_of_time || is_interrupted(signals);
        };
      });
      return {.profile = std::move(result.profile),
              .fault = std::move(result.fault),
              .interrupted = result.interrupted && !out_of_time,
              .out_of_time = result.interrupted && out_of_time};
    } catch (const PeerLost& lost) {  // which is not the case's fault
      lost_ = lost.what();
      return {.profile = {}, .fault = {}, .interrupted = true};
    }
  }

  void write_results(const BatteryFolder& folder) const {
    const BatterySummary summary = summarize(folder);
    write_machine_files(folder, summary);
    write_file_atomically(folder.file("summary.json"), render_battery_json(summary));
    write_file_atomically(folder.file("summary.csv"), render_battery_csv(summary));
    write_file_atomically(folder.file("summary.html"), render_battery_html(summary));
    print_or_write(render_battery(summary, format_.get(), options_for_stdout()), "");
  }

  int tell(const BatteryRun& result, std::size_t cases) const {
    StatusLine line;
    line.say(fmt::format("{}: {} of {} cases finished by this call, {} failed, {} left", out_, result.finished, cases,
                         result.failed, result.left.size()));
    if (!result.cap.empty()) line.say(fmt::format("{} ended it: what is left does not fit any more", result.cap));
    if (!result.left.empty() && !lost_) line.say(fmt::format("to resume: {}", command()));
    if (result.failed > 0) line.say(fmt::format("to try failed cases again: {} --retry", command()));
    return result.interrupted ? kExitInterrupted : 0;
  }

  std::string command() const {
    const std::string start = ranks_->launched() ? fmt::format("with {}, ", ranks_->launched()->process.launcher) : "";
    return fmt::format("{}stash characterize --out {}", start, out_);
  }

  CLI::App* app_ = nullptr;
  std::string out_ = "this-vm";
  FormatFlag format_ = page_format();
  CharacterizeFlags flags_;
  StartFlags start_;
  std::optional<SuiteRanks> ranks_;
  bool interrupted_ = false;
  std::optional<std::string> lost_;  // why the other processes cannot be counted on any more
};

}  // namespace

std::unique_ptr<Verb> make_characterize_verb() { return std::make_unique<CharacterizeVerb>(); }

}  // namespace stash
