#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "stash/cli/flags/script_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/cli/why_nothing.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/units.h"
#include "stash/core/watched.h"
#include "stash/launch/attached_command.h"
#include "stash/launch/protocol/event.h"
#include "stash/report/openmetrics.h"

namespace stash {
namespace {

constexpr std::int64_t kWriteInterval_ns = 5'000'000'000;  // scrapers come every quarter of a minute

double collective_s(const WatchedRank& rank) {
  double sum_s = 0;
  for (const CollectiveSummary& row : rank.collectives) sum_s += row.total_s;
  return sum_s;
}

class WatchVerb final : public Verb {
 public:
  std::string name() const override { return "watch"; }
  std::string description() const override { return "Count and time what a training script does, without changing it"; }

  void add_flags(CLI::App& app) override {
    app.add_option(
           "--metrics", metrics_,
           "File to write the counters to every 5 s, as OpenMetrics text for node_exporter's textfile collector")
        ->type_name("FILE");
    app.add_option("--job", job_, "The label `job` of the counters; default: the script's name")->type_name("NAME");
    app.add_option("command", command_, "The command and its arguments, after --")->type_name("COMMAND")->required();
    app.positionals_at_end();
    app.footer(
        "Examples:\n"
        "  stash watch -- python train.py\n"
        "  stash watch --metrics /var/lib/node_exporter/stash.prom -- torchrun --nproc-per-node 8 train.py\n");
  }

  int run() override {
    if (!metrics_.empty()) check_writable(metrics_, "--metrics");
    if (job_.empty()) job_ = script_name(command_);
    const AttachedEnd ended =
        run_attached({.command = command_,
                      .package_folder = root_folder() / "python",
                      .on_line = [&](const std::string& file, std::string_view line) { take(file, line); },
                      .on_tick = [&] { tick(); }},
                     {.program = own_program().string(), .watch = true, .input = {}, .data = {}, .job = {}});
    write_metrics();
    if (const std::string text = bad_end(ended.end); !text.empty()) line_.say("stash: " + text);
    if (ranks_.empty())
      line_.say("stash: " + (fault_.empty() ? why_nothing(ended.attached, command_) : fault_));
    else
      line_.say(describe());
    return ended.end.exit_code;
  }

 private:
  // The command continues whatever its ranks report.
  void take(const std::string& file, std::string_view line) {
    try {
      const RankEvent event = event_from_line(line);
      if (const auto* counted = std::get_if<CountersEvent>(&event)) ranks_[file] = counted->counters;
      if (const auto* error = std::get_if<ErrorEvent>(&event)) fault_ = error->message;
    } catch (const std::exception& error) {
      fault_ = error.what();
    }
  }

  void tick() {
    if (ranks_.empty()) return;
    line_.show(describe());
    if (now_ns() - written_ns_ < kWriteInterval_ns) return;
    written_ns_ = now_ns();
    write_metrics();
  }

  void write_metrics() const {
    if (metrics_.empty()) return;
    std::vector<WatchedRank> ranks;
    for (const auto& [file, rank] : ranks_) ranks.push_back(rank);
    write_file_atomically(metrics_, render_openmetrics(ranks, job_));
  }

  // The mean over ranks since the start.
  std::string describe() const {
    double steps = 0, step_s = 0, wait_s = 0, moving_s = 0;
    for (const auto& [file, rank] : ranks_) {
      steps += static_cast<double>(rank.steps);
      step_s += rank.step_s;
      wait_s += rank.input_wait_s;
      moving_s += collective_s(rank);
    }
    const auto ranks = static_cast<double>(ranks_.size());
    if (steps == 0) return fmt::format("{} ranks, no step yet", ranks_.size());
    return fmt::format(
        "step {:.0f} on {} ranks: {} per step, {:.1f} % of it waiting for input, {:.1f} % with a collective under way",
        steps / ranks, ranks_.size(), format_duration(step_s / steps), 100 * wait_s / step_s, 100 * moving_s / step_s);
  }

  std::string metrics_;
  std::string job_;
  std::string fault_;
  std::vector<std::string> command_;
  std::map<std::string, WatchedRank> ranks_;  // by the file that they report to
  StatusLine line_;
  std::int64_t written_ns_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_watch_verb() { return std::make_unique<WatchVerb>(); }

}  // namespace stash
