#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <numeric>

#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/pool_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/share_verbs.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/process/stop_signals.h"
#include "stash/report/terminal.h"
#include "stash/share/jobs_file.h"
#include "stash/share/pool/job_series.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr double kLook_s = 0.1;          // for jobs that arrive or end
constexpr double kPatienceAtEnd_s = 10;  // of jobs that were asked to end

class ShareRunVerb final : public Verb {
 public:
  std::string name() const override { return "run"; }
  std::string description() const override { return "Start the jobs of a file and share loader workers among them"; }

  void add_flags(CLI::App& app) override {
    app.add_option("jobs", jobs_, "File of jobs (TOML) with their commands")->type_name("FILE")->required();
    app.add_option("--logs", logs_, "Folder for what the jobs print, a file for each")
        ->type_name("FOLDER")
        ->capture_default_str();
    flags_.add_to(app);
    socket_.add_to(app);
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash share run jobs.toml\n"
        "  stash share run jobs.toml --measure-gain 30s --format html --out shared.html\n");
  }

  int run() override {
    const Format format = format_.get();
    const JobsFile file = read_jobs(jobs_);
    const PoolServerOptions options = flags_.resolve(file.cores);
    check_least(file, options);
    if (!out_.empty()) check_writable(out_);
    std::vector<SeriesJob> jobs;
    for (const JobEntry& entry : file.jobs) jobs.push_back(job_of(entry));
    make_logs();
    StopSignals signals;
    const PoolListener listener(socket_.get());
    PoolServer server(listener, options);
    StatusLine line;
    JobSeries series(std::move(jobs), file.gpus.value_or(static_cast<int>(file.jobs.size())),
                     [&](const std::string& text) { line.say(text); });
    const bool interrupted = supervise(server, series, signals);
    PoolState state = server.state();
    state.runs = series.runs();
    state.makespan_s = series.makespan_s();
    print_or_write(render_pool(state, format, options_for_stdout()), out_);
    if (interrupted) return kExitInterrupted;
    return series.all_succeeded() ? 0 : kExitFault;
  }

 private:
  [[noreturn]] void fail(const JobEntry& entry, std::string_view key, std::string_view what) const {
    throw UsageError(fmt::format("{}, line {}: '{}' of job '{}' {}", jobs_, entry.line, key, entry.name, what));
  }

  void check_least(const JobsFile& file, const PoolServerOptions& options) const {
    const int workers = std::max(static_cast<int>(options.cores * options.workers_per_core + 0.5), 1);
    std::vector<int> least;
    for (const JobEntry& entry : file.jobs) {
      least.push_back(entry.min_workers);
      if (entry.min_workers <= workers) continue;
      fail(entry, "min_workers", fmt::format("is {}, and {} workers may work at a time", entry.min_workers, workers));
    }
    std::ranges::sort(least, std::greater<>{});
    const auto at_a_time = std::min(least.size(), static_cast<std::size_t>(file.gpus.value_or(kMostSharedJobs)));
    const int sum = std::accumulate(least.begin(), least.begin() + static_cast<std::ptrdiff_t>(at_a_time), 0);
    if (sum <= workers) return;
    throw UsageError(
        fmt::format("{}: {} jobs that may run at a time need at least {} workers (min_workers), and {} may work: give "
                    "more --cores, or set 'gpus' to run fewer at a time",
                    jobs_, at_a_time, sum, workers));
  }

  SeriesJob job_of(const JobEntry& entry) const {
    if (entry.command.empty()) fail(entry, "command", "is missing");
    SeriesJob job{.name = entry.name, .arrives_s = entry.arrives_s, .command = {}};
    if (!entry.folder.empty()) {
      job.command.folder = fs::absolute(fs::absolute(jobs_).parent_path() / entry.folder);
      if (!fs::is_directory(job.command.folder)) {
        fail(entry, "folder", fmt::format("is {}, and there is no such folder", job.command.folder.string()));
      }
    }
    job.command.log = fs::absolute(fs::path(logs_) / (entry.name + ".log"));
    job.command.arguments = arguments_of(entry);
    return job;
  }

  // A built-in job joins by itself; to any other command `stash run --share` is put in front.
  std::vector<std::string> arguments_of(const JobEntry& entry) const {
    std::vector<std::string> seat{"--socket", socket_.get(),   "--name",
                                  entry.name, "--min-workers", std::to_string(entry.min_workers)};
    if (entry.max_workers) seat.insert(seat.end(), {"--max-workers", std::to_string(*entry.max_workers)});
    if (entry.samples) seat.insert(seat.end(), {"--samples", fmt::format("{:.0f}", *entry.samples)});
    std::vector<std::string> arguments{own_program().string()};
    const auto& command = entry.command;
    if (fs::path(command[0]).filename() == "stash") {
      if (command.size() < 3 || command[1] != "share" || command[2] != "train") {
        fail(entry, "command", "is a verb of stash that has no workers to share: only `stash share train` has");
      }
      check_no_seat(entry);
      arguments.insert(arguments.end(), command.begin() + 1, command.end());
      arguments.insert(arguments.end(), seat.begin(), seat.end());
      return arguments;
    }
    arguments.insert(arguments.end(), {"run", "--share"});
    arguments.insert(arguments.end(), seat.begin(), seat.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return arguments;
  }

  // What the file says of a job its command cannot say too.
  void check_no_seat(const JobEntry& entry) const {
    for (const std::string_view flag : {"--socket", "--name", "--min-workers", "--max-workers"}) {
      if (has_flag(entry, flag))
        fail(entry, "command", fmt::format("has {}, which the file gives it: leave it out", flag));
    }
    if (entry.samples && has_flag(entry, "--samples")) {
      fail(entry, "samples", "is given beside --samples of its command: keep one of them");
    }
  }

  static bool has_flag(const JobEntry& entry, std::string_view flag) {
    return std::ranges::any_of(entry.command, [&](const std::string& word) {
      return word == flag || (word.starts_with(flag) && word[flag.size()] == '=');
    });
  }

  void make_logs() const {
    std::error_code fault;
    fs::create_directories(logs_, fault);
    if (!fs::is_directory(logs_)) throw UsageError(fmt::format("--logs {}: cannot make this folder", logs_));
  }

  // True: it was interrupted, and the jobs were ended.
  static bool supervise(PoolServer& server, JobSeries& series, StopSignals& signals) {
    const std::int64_t start_ns = now_ns();
    const auto now_s = [&] { return seconds(now_ns() - start_ns); };
    std::optional<double> asked_s;
    for (;;) {
      series.tick(now_s());
      if (series.is_over()) break;
      server.serve(signals.fd(), kLook_s);
      if (signals.take()) {
        series.start_no_more();
        series.signal(asked_s ? SIGKILL : SIGTERM);
        asked_s = asked_s.value_or(now_s());
      }
      if (asked_s && now_s() - *asked_s > kPatienceAtEnd_s) series.signal(SIGKILL);
    }
    server.serve(signals.fd(), kLook_s);  // those that ended last leave
    return asked_s.has_value();
  }

  std::string jobs_;
  std::string logs_ = "share-logs";
  PoolFlags flags_;
  SocketFlag socket_;
  std::string out_;
  FormatFlag format_ = sharing_format();
};

}  // namespace

std::unique_ptr<Verb> make_share_run_verb() { return std::make_unique<ShareRunVerb>(); }

}  // namespace stash
