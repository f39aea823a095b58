#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/share/pool/pool_book.h"

namespace stash {
namespace {

constexpr std::size_t kMostMoments = 1000;
constexpr double kSettleReports = 4;  // after a change, before another is made for its gain
constexpr double kDriftRatio = 0.05;  // of the measured rate from the predicted one
constexpr double kShortestHorizon_s = 10, kLongestHorizon_s = 600;

}  // namespace

bool PoolBook::is_known(const Job& job) const {
  if (job.shown.state == PoolJobState::doubtful) return false;
  return std::ranges::all_of(job.members, [&](int id) { return members_.at(id).curve.is_known(); });
}

double PoolBook::measured_per_s(const Job& job) const {
  double slowest = kAllStorage;
  for (const int id : job.members) slowest = std::min(slowest, members_.at(id).curve.measured());
  return slowest * static_cast<double>(job.members.size());
}

PoolSeatFacts PoolBook::facts_of(const Job& job) const {
  std::vector<const LiveCurve*> curves;
  int most = kMostSharedCores, least = 1;
  for (const int id : job.members) {
    const Member& member = members_.at(id);
    curves.push_back(&member.curve);
    most = std::min(most, member.most);
    least = std::max(least, member.join.min_workers);
  }
  least = std::min(least, most);
  PoolSeatFacts facts{.curve = {},
                      .is_known = is_known(job),
                      .is_silent = job.shown.state == PoolJobState::silent,
                      .workers = job.workers,
                      .batch_s = job.batch_s};
  if (facts.is_known) {
    facts.curve = curve_of_ranks(curves, least, most);
  } else {
    facts.curve.ranks = static_cast<int>(job.members.size());
    facts.curve.min_workers = least;
    facts.curve.ceiling = {1, 1, 1};
    facts.curve.by_workers.assign(static_cast<std::size_t>(most), Rate{1, 1, 1});
  }
  facts.curve.name = job.shown.name;
  facts.curve.samples_left = job.shown.samples_left;
  return facts;
}

std::vector<PoolSeatFacts> PoolBook::facts() const {
  std::vector<PoolSeatFacts> facts;
  for (const auto& [key, job] : jobs_) facts.push_back(facts_of(job));
  return facts;
}

// Forced: the present split does not fit any more, so another one comes whatever it brings.
void PoolBook::decide(double now_s, const std::string& why, bool forced) {
  is_trying_ = false;
  if (jobs_.empty()) return predicted_gain_.reset();
  const std::vector<PoolSeatFacts> facts = this->facts();
  const PoolSplit need = split_by_need(facts, options_.workers, options_.objective);
  const std::vector<int> even = split_evenly(facts, options_.workers);
  predicted_gain_ = need.gain_ratio;
  const bool evenly =
      options_.policy == PoolPolicy::even || (gain_ && (gain_->side() == PoolPolicy::even || gain_->is_loss()));
  std::size_t j = 0;
  for (auto& [key, job] : jobs_) {
    const PoolSeatFacts& seat = facts[j];
    job.shown.even_workers = even[j] * seat.curve.ranks;
    if (seat.is_known) {
      job.shown.even_per_s = rate_of(seat.curve, even[j]).per_s;
      job.shown.ceiling_per_s = seat.curve.ceiling.per_s;
    }
    ++j;
  }
  const std::vector<int>& next = evenly ? even : need.workers;
  const double horizon_s = std::clamp(now_s - members_changed_s_, kShortestHorizon_s, kLongestHorizon_s);
  if (!forced && !is_worth_changing(facts, next, horizon_s, options_.objective)) {
    for (auto& [key, job] : jobs_) {
      if (is_known(job)) job.shown.predicted_per_s = measured_per_s(job);  // the next drift is from here
    }
    return;
  }
  apply(next, now_s, why);
  j = 0;
  for (auto& [key, job] : jobs_) {
    const PoolSeatFacts& seat = facts[j];
    if (seat.is_known) job.shown.predicted_per_s = rate_of(seat.curve, next[j]).per_s;
    ++j;
  }
}

void PoolBook::apply(const std::vector<int>& split, double now_s, const std::string& why) {
  std::size_t j = 0;
  bool changed = false;
  PoolMoment moment{.at_s = now_s, .why = why, .workers = {}};
  for (auto& [key, job] : jobs_) {
    job.workers = split[j++];
    job.shown.workers = job.workers * static_cast<int>(job.members.size());
    moment.workers[job.shown.name] = job.shown.workers;
    for (const int id : job.members) {
      Member& member = members_.at(id);
      if (member.told == job.workers) continue;
      outbox_.emplace_back(
          id, ShareMessage{.workers = job.workers, .most_workers = member.most, .report_s = options_.report_s});
      member.told = job.workers;
      member.unsettled = true;
      changed = true;
    }
  }
  if (!changed) return;
  settled_s_ = now_s + kSettleReports * options_.report_s;
  moments_.push_back(std::move(moment));
  if (moments_.size() > kMostMoments) moments_.erase(moments_.begin());
}

void PoolBook::look_for_drift(Job& job, double now_s) {
  if (!is_known(job)) return;
  job.shown.per_s = measured_per_s(job);
  const LiveCurve& first = members_.at(job.members.front()).curve;
  job.shown.waiting_ratio = first.waiting_ratio();
  const bool measuring = gain_ && !gain_->is_loss();
  if (job.shown.state == PoolJobState::learning) {
    job.shown.state = PoolJobState::sharing;
    if (!measuring) decide(now_s, fmt::format("what workers bring to {} is known", job.shown.name), false);
    return;
  }
  if (now_s < settled_s_ || measuring) return;
  if (is_trying_) {
    const bool is_late = now_s > settled_s_ + kSettleReports * options_.report_s;
    if (all_settled() || is_late) decide(now_s, "what other numbers of workers bring is known", true);
    return;
  }
  if (try_another_split(now_s)) return;
  const double predicted = job.shown.predicted_per_s.value_or(*job.shown.per_s);
  const double off = *job.shown.per_s / predicted - 1;
  if (std::abs(off) <= std::max(kDriftRatio, 2 * first.spread_ratio())) return;
  decide(now_s, fmt::format("{} is {:+.0f} % off its prediction", job.shown.name, 100 * off), false);
}

bool PoolBook::all_settled() const {
  return std::ranges::all_of(members_, [](const auto& entry) { return entry.second.curve.is_settled(); });
}

// What each worker is worth shows only with another number of them. A job whose workers hold it back gives half of
// them to jobs that can use them for a few reports; once, while the jobs are the same.
bool PoolBook::try_another_split(double now_s) {
  if (options_.policy == PoolPolicy::even || !all_settled()) return false;
  std::vector<Job*> present;
  for (auto& [key, job] : jobs_) {
    if (!is_known(job) || job.shown.state != PoolJobState::sharing) return false;
    present.push_back(&job);
  }
  const std::vector<PoolSeatFacts> seats = facts();
  const auto first = [&](std::size_t j) -> Member& { return members_.at(present[j]->members.front()); };
  for (std::size_t from = 0; from < seats.size(); ++from) {
    Member& giver = first(from);
    if (giver.was_tried || giver.curve.knows_bend() || !giver.curve.is_bound()) continue;
    if (seats[from].workers <= seats[from].curve.min_workers) continue;
    std::vector<bool> takes(seats.size());
    for (std::size_t to = 0; to < seats.size(); ++to) takes[to] = to != from && first(to).curve.is_bound();
    const std::vector<int> split = half_given(seats, from, takes);
    for (std::size_t j = 0; j < seats.size(); ++j) {
      if (split[j] != seats[j].workers) first(j).was_tried = true;
    }
    apply(split, now_s, fmt::format("to learn what workers bring to {}", present[from]->shown.name));
    is_trying_ = true;
    return true;
  }
  return false;
}

}  // namespace stash
