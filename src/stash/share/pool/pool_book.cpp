#include "stash/share/pool/pool_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kMostMembers = 4096;
constexpr std::size_t kMostGone = 64;     // jobs that are still shown
constexpr std::size_t kMostPoints = 256;  // of a job's time line; then each stands for twice the time
constexpr double kShortestSilence_s = 10;
constexpr double kSilentReports = 10;
constexpr double kSilentBatches = 5;
constexpr double kFirstSilence_s = 120;  // a first batch may have to wait for compilation
constexpr double kIdleTick_s = 5;
constexpr double kLeastOfReport = 0.4;  // a shorter window tells little
constexpr std::size_t kMostNameLength = 64;
constexpr std::size_t kMostKeyLength = 256;
constexpr std::size_t kShownWorkers = 128;  // of a curve

}  // namespace

PoolBook::PoolBook(const PoolOptions& options) : options_(options) {
  if (options.gain_window_s && options.policy == PoolPolicy::need) gain_.emplace(*options.gain_window_s);
}

double PoolBook::silent_after_s(const Job& job) const {
  return std::max({kShortestSilence_s, kSilentReports * options_.report_s, kSilentBatches * job.batch_s});
}

bool PoolBook::is_overdue(const Job& job, int connection, double now_s) const {
  const Member& member = members_.at(connection);
  const double patience_s = member.has_trained ? silent_after_s(job) : std::max(silent_after_s(job), kFirstSilence_s);
  return now_s - member.seen_s > patience_s;
}

double PoolBook::present_cpu_s() const {
  double sum = 0;
  for (const auto& [connection, member] : members_) sum += member.cpu_s;
  return sum;
}

std::string PoolBook::free_name(const std::string& wished) const {
  std::string base = wished.substr(0, kMostNameLength);
  if (base.empty()) base = "job";
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(jobs_, [&](const auto& entry) { return entry.second.shown.name == name; });
  };
  std::string name = base;
  for (int number = 2; is_taken(name); ++number) name = fmt::format("{}-{}", base, number);
  return name;
}

// Workers that all jobs must have once another rank of `key` has come.
std::int64_t PoolBook::least_with(const std::string& key, int min_workers) const {
  std::int64_t sum = jobs_.contains(key) ? 0 : min_workers;
  for (const auto& [other, job] : jobs_) {
    int least = other == key ? min_workers : 1;
    for (const int id : job.members) {
      least = std::max(least, std::min(members_.at(id).join.min_workers, members_.at(id).most));
    }
    sum += std::int64_t{least} * static_cast<std::int64_t>(job.members.size() + (other == key ? 1 : 0));
  }
  return sum;
}

void PoolBook::join(int connection, const JoinMessage& join, double now_s) {
  const auto refuse = [&](std::string why) { outbox_.emplace_back(connection, RefusedMessage{std::move(why)}); };
  if (join.protocol != kPoolProtocol) {
    return refuse(
        fmt::format("the pool speaks version {} of its protocol, and the job {}", kPoolProtocol, join.protocol));
  }
  if (has(connection)) return refuse("it has joined already");
  if (members_.size() >= kMostMembers || (jobs_.size() >= kMostSharedJobs && !jobs_.contains(join.job))) {
    return refuse("the pool is full");
  }
  if (join.job.size() > kMostKeyLength) return refuse("its key is too long");
  const int ranks_here = std::min(join.ranks_here, kMostSharedCores);
  const int share = (options_.workers + ranks_here - 1) / ranks_here;
  const int most = std::clamp(join.max_workers.value_or(std::max(share, join.workers)), 1, kMostSharedCores);
  if (least_with(join.job, std::min(join.min_workers, most)) > kMostSharedCores) {
    return refuse(fmt::format("the jobs' least workers would be more than {}", kMostSharedCores));
  }
  const bool is_new = !jobs_.contains(join.job);
  Job& job = jobs_[join.job];
  if (is_new) {
    job.shown.joined_s = now_s;
    job.shown.name = "";
    job.shown.name = free_name(join.name);
  }
  Member& member = members_[connection];
  member = {.join = join, .curve = {}, .most = most, .told = 0, .unsettled = true, .seen_s = now_s};
  member.join.name.clear();  // the job has it
  job.members.push_back(connection);
  job.shown.state = PoolJobState::learning;
  members_changed(now_s, is_new ? fmt::format("{} joined", job.shown.name)
                                : fmt::format("another rank of {} joined", job.shown.name));
}

void PoolBook::leave(int connection, bool died, double now_s) {
  const auto found = members_.find(connection);
  if (found == members_.end()) return;
  const std::string key = found->second.join.job;
  left_cpu_s_ += found->second.cpu_s;
  members_.erase(found);
  Job& job = jobs_.at(key);
  std::erase(job.members, connection);
  const std::string name = job.shown.name;
  if (job.members.empty()) retire(key, died ? PoolJobState::died : PoolJobState::left, now_s);
  members_changed(now_s, fmt::format("{} {}", name, died ? "died" : "left"));
}

void PoolBook::retire(const std::string& key, PoolJobState state, double now_s) {
  PoolJob shown = std::move(jobs_.at(key).shown);
  jobs_.erase(key);
  shown.state = state;
  shown.left_s = now_s;
  shown.workers = 0;
  shown.pids.clear();
  gone_.push_back(std::move(shown));
  if (gone_.size() > kMostGone) gone_.erase(gone_.begin());
}

void PoolBook::members_changed(double now_s, const std::string& why) {
  members_changed_s_ = now_s;
  if (gain_) gain_->restart(now_s);
  decide(now_s, why, true);
}

void PoolBook::set_workers(int workers, double now_s) {
  if (workers == options_.workers) return;
  const bool fewer = workers < options_.workers;
  options_.workers = workers;
  decide(now_s, fewer ? "other processes need cores" : "other processes need fewer cores", true);
}

void PoolBook::report(int connection, const ReportMessage& report, double now_s) {
  const auto found = members_.find(connection);
  if (found == members_.end()) throw Error("a report came from a process that has not joined");
  Member& member = found->second;
  Job& job = jobs_.at(member.join.job);
  const double since_s = now_s - member.seen_s;
  if (report.samples > 0) {
    member.seen_s = now_s;
    member.has_trained = true;
  }
  const LoaderWindow window{.workers = report.workers,
                            .elapsed_s = report.elapsed_s,
                            .samples = static_cast<double>(report.samples),
                            .waited_s = report.waited_s,
                            .busy_s = report.busy_s};
  const char* doubt = doubt_of(window);
  if (doubt == nullptr && report.elapsed_s > since_s + silent_after_s(job))
    doubt = "it reports more time than has passed";
  if (doubt != nullptr) {
    const bool is_new = job.shown.state != PoolJobState::doubtful;
    job.shown.state = PoolJobState::doubtful;
    job.shown.note = fmt::format("a report cannot be true: {}; it gets what an even split gives it", doubt);
    if (is_new) decide(now_s, fmt::format("a report of {} cannot be true", job.shown.name), true);
    return;
  }
  if (std::isfinite(report.cpu_s) && report.cpu_s >= member.cpu_s) member.cpu_s = report.cpu_s;
  if (report.samples_left && *report.samples_left > 0 && std::isfinite(*report.samples_left)) {
    job.shown.samples_left = report.samples_left;
  }
  job.shown.samples += static_cast<double>(report.samples);
  if (job.shown.state == PoolJobState::silent) {
    if (report.samples == 0) return;
    job.shown.state = PoolJobState::learning;
    decide(now_s, fmt::format("{} reports again", job.shown.name), true);
    return;
  }
  add_point(job, report, now_s);
  if (report.workers != job.workers || report.elapsed_s < kLeastOfReport * options_.report_s) return;
  if (std::exchange(member.unsettled, false)) return;
  member.curve.add(window);
  if (gain_) gain_->add(job.shown.name, member.join.rank, window.samples, window.elapsed_s);
  if (report.batches > 0) job.batch_s = report.elapsed_s / static_cast<double>(report.batches);
  look_for_drift(job, now_s);
}

// One point per spacing, of the first rank's reports and all ranks' rates.
void PoolBook::add_point(Job& job, const ReportMessage& report, double now_s) {
  PoolPoint& open = job.open_point;
  open.at_s = now_s;
  open.lasted_s += report.elapsed_s / static_cast<double>(job.members.size());
  open.per_s += static_cast<double>(report.samples);  // a sum, until the point is complete
  open.waiting_ratio += report.waited_s / static_cast<double>(job.members.size());
  open.workers = job.shown.workers;
  if (open.lasted_s < std::max(job.point_spacing_s, options_.report_s * 0.9)) return;
  open.per_s /= open.lasted_s;
  open.waiting_ratio = std::min(open.waiting_ratio / open.lasted_s, 1.0);
  job.shown.points.push_back(std::exchange(open, {}));
  if (job.shown.points.size() <= kMostPoints) return;
  std::vector<PoolPoint> thinned;
  for (std::size_t i = 0; i + 1 < job.shown.points.size(); i += 2) {
    const PoolPoint& a = job.shown.points[i];
    PoolPoint b = job.shown.points[i + 1];
    const double whole_s = a.lasted_s + b.lasted_s;
    b.per_s = (a.per_s * a.lasted_s + b.per_s * b.lasted_s) / whole_s;
    b.waiting_ratio = (a.waiting_ratio * a.lasted_s + b.waiting_ratio * b.lasted_s) / whole_s;
    b.lasted_s = whole_s;
    thinned.push_back(b);
  }
  job.shown.points = std::move(thinned);
  job.point_spacing_s = std::max(2 * job.point_spacing_s, 2 * options_.report_s);
}

void PoolBook::tick(double now_s) {
  for (auto& [key, job] : jobs_) {
    if (job.shown.state == PoolJobState::silent) continue;
    const bool silent =
        std::ranges::any_of(job.members, [&, &job = job](int id) { return is_overdue(job, id, now_s); });
    if (!silent) continue;
    job.shown.state = PoolJobState::silent;
    if (gain_) gain_->restart(now_s);
    decide(now_s, fmt::format("{} reports nothing any more", job.shown.name), true);
  }
  if (!gain_) return;
  const bool all_known = jobs_.size() > 1 && std::ranges::all_of(jobs_, [&](const auto& entry) {
                           return is_known(entry.second) && entry.second.shown.state == PoolJobState::sharing;
                         });
  if (!all_known) return gain_->restart(now_s);
  if (!gain_->advance(now_s)) return;
  decide(now_s, gain_->side() == PoolPolicy::even ? "to measure: an even split" : "to measure: by need", true);
}

double PoolBook::next_tick_s(double now_s) const {
  double next_s = now_s + (jobs_.empty() ? 60 : kIdleTick_s);
  if (gain_ && jobs_.size() > 1) next_s = std::min(next_s, std::max(gain_->ends_s(), now_s));
  return next_s;
}

PoolState PoolBook::state(double now_s) const {
  PoolState state{.up_s = now_s,
                  .objective = options_.objective,
                  .policy = options_.policy,
                  .workers = options_.workers,
                  .predicted_gain_ratio = predicted_gain_,
                  .gain = gain_ ? gain_->gain() : std::nullopt,
                  .jobs = gone_,
                  .moments = moments_,
                  .notes = {}};
  for (const auto& [key, job] : jobs_) {
    PoolJob shown = job.shown;
    shown.ranks = static_cast<int>(job.members.size());
    if (const PoolSeatFacts seat = facts_of(job); seat.is_known) {
      for (const Rate& rate :
           std::span(seat.curve.by_workers).first(std::min(seat.curve.by_workers.size(), kShownWorkers))) {
        shown.by_workers_per_s.push_back(rate.per_s);
      }
    }
    for (const int id : job.members) shown.pids.push_back(members_.at(id).join.pid);
    state.given_workers += shown.workers;
    state.jobs.push_back(std::move(shown));
  }
  if (state.given_workers > state.workers) {
    state.notes.push_back(fmt::format("the jobs' least workers are {}, and {} may work: each has its least",
                                      state.given_workers, state.workers));
  }
  if (gain_ && gain_->is_loss()) state.notes.push_back("an even split was measured to be better: the jobs have one");
  return state;
}

}  // namespace stash
