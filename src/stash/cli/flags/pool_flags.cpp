#include "stash/cli/flags/pool_flags.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/launch/pool/pool_socket.h"
#include "stash/launch/process/cpu_limit.h"
#include "stash/report/html/pool_page.h"
#include "stash/report/pool_report.h"

namespace stash {
namespace {

constexpr double kMostWorkersPerCore = 64;
constexpr int kMostWorkersOfSeat = 1024;
constexpr double kShortestReportTime_s = 0.1, kLongestReportTime_s = 60;
constexpr double kShortestWindow_s = 1, kLongestWindow_s = 3600;

double parse_between(const std::string& text, std::string_view flag, double least, double most) {
  const double s = parse_duration_s(text, flag);
  if (s >= least && s <= most) return s;
  throw UsageError(fmt::format("{} {} is out of range: it takes {} to {}", flag, text, format_duration(least),
                               format_duration(most)));
}

double parse_per_core(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0' && value > 0 && value <= kMostWorkersPerCore) return value;
  throw UsageError(
      fmt::format("--workers-per-core takes a number above 0, up to {}, not '{}'", kMostWorkersPerCore, text));
}

}  // namespace

void SocketFlag::add_to(CLI::App& app) {
  app.add_option("--socket", given_, "Socket of the pool; default: one of yours in $XDG_RUNTIME_DIR or /tmp")
      ->type_name("PATH");
}

std::string SocketFlag::get() const {
  return given_.empty() ? default_pool_socket().string() : std::filesystem::absolute(given_).string();
}

void SeatFlags::add_to(CLI::App& app) {
  socket_.add_to(app);
  app.add_option("--name", name_, "Name of the job in the pool; default: that of its model or script")
      ->type_name("NAME");
  app.add_option("--min-workers", min_workers_, "Workers that each rank keeps")->type_name("N")->capture_default_str();
  app.add_option("--max-workers", max_workers_,
                 "Workers that are started for each rank; default: the cores of the pool, over the job's ranks here")
      ->type_name("N");
}

void SeatFlags::add_samples(CLI::App& app) {
  app.add_option("--samples", samples_,
                 "With --share: samples that the script loads until it ends, over all its ranks, for a pool with "
                 "--objective makespan")
      ->type_name("N");
}

PoolSeat SeatFlags::resolve(const std::string& default_name) const {
  if (min_workers_ < 1 || min_workers_ > kMostWorkersOfSeat) {
    throw UsageError(
        fmt::format("--min-workers {} is out of range: it takes 1 to {}", min_workers_, kMostWorkersOfSeat));
  }
  if (max_workers_ && (*max_workers_ < min_workers_ || *max_workers_ > kMostWorkersOfSeat)) {
    throw UsageError(fmt::format("--max-workers {} is out of range: it takes --min-workers ({}) to {}", *max_workers_,
                                 min_workers_, kMostWorkersOfSeat));
  }
  if (samples_ && (!(*samples_ >= 1) || !std::isfinite(*samples_))) {
    throw UsageError("--samples takes a number from 1");
  }
  PoolSeat seat{.socket = socket_.get(),
                .name = name_.empty() ? default_name : name_,
                .job = {},
                .min_workers = min_workers_,
                .max_workers = max_workers_,
                .samples = samples_};
  seat.job = fmt::format("{}-{}", ::getpid(), now_ns());
  return seat;
}

void PoolFlags::add_to(CLI::App& app) {
  app.add_option("--cores", cores_, "Cores for loader workers; default: those that this process may use")
      ->type_name("N");
  app.add_option("--workers-per-core", workers_per_core_,
                 "Workers that share a core; more than 1 where workers mostly wait for storage")
      ->type_name("RATIO")
      ->capture_default_str();
  app.add_option("--objective", objective_,
                 "throughput: the highest total; fairness: help the worst-fed job; makespan: end as early as can be")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--policy", policy_, "need: by what workers bring; even: as many for each job, to compare with")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--measure-gain", measure_,
                 "Length of windows in which sharing by need and an even split alternate, to measure the gain")
      ->type_name("TIME");
  app.add_option("--report-every", report_, "Time between a job's reports to the pool")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_flag("--ignore-load", ignore_load_, "Do not leave cores to processes that are not in the pool");
}

PoolServerOptions PoolFlags::resolve(std::optional<int> cores_of_file) const {
  PoolServerOptions options;
  const int usable = usable_cores();
  options.cores = cores_.value_or(cores_of_file.value_or(usable));
  const std::string_view where = cores_ ? "--cores" : "cores =";
  if (options.cores < 1 || options.cores > usable) {
    throw UsageError(
        fmt::format("{} {} is out of range: this process may use 1 to {} cores (affinity and control "
                    "groups)",
                    where, options.cores, usable));
  }
  options.workers_per_core = parse_per_core(workers_per_core_);
  options.counts_load = !ignore_load_;
  options.pool.objective = parse_objective(objective_);
  options.pool.policy = parse_pool_policy(policy_);
  options.pool.report_s = parse_between(report_, "--report-every", kShortestReportTime_s, kLongestReportTime_s);
  if (measure_) {
    options.pool.gain_window_s = parse_between(*measure_, "--measure-gain", kShortestWindow_s, kLongestWindow_s);
    if (options.pool.policy == PoolPolicy::even) {
      throw UsageError("--measure-gain compares with an even split: leave out --policy even");
    }
    if (*options.pool.gain_window_s < 4 * options.pool.report_s) {
      throw UsageError(fmt::format("--measure-gain {}: a window needs four reports of each job; --report-every is {}",
                                   *measure_, report_));
    }
  }
  return options;
}

std::string render_pool(const PoolState& state, Format format, const ReportOptions& options) {
  if (format == Format::json) return render_pool_json(state);
  if (format == Format::html) return render_pool_html(state);
  return render_pool_text(state, options);
}

}  // namespace stash
