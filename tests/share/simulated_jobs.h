#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "stash/share/pool/pool_book.h"

namespace stash {

// A job whose workers need `worker_s` per sample and whose step without input allows `ceiling` samples per second.
struct SimulatedJob {
  std::string name;
  double worker_s = 0.1;
  double ceiling = 100;
  int batch = 8;
  double bend = 0;  // what a sample takes grows with this power of the workers: 1 where storage is all that counts
  int workers = 1;  // that it was told
  bool shows_ceiling = true;  // an accelerator that works behind the loop hides it

  double rate(int count) const { return std::min(count / (worker_s * std::pow(count, bend)), ceiling); }
};

// Jobs that report to a book every second.
class SimulatedJobs {
 public:
  explicit SimulatedJobs(PoolBook& book) : book_(book) {}

  void join(int connection, const SimulatedJob& job) {
    jobs_[connection] = job;
    book_.join(connection, {.name = job.name, .job = job.name, .pid = connection, .workers = 2}, now_s_);
    deliver();
  }
  void leave(int connection, bool died = false) {
    jobs_.erase(connection);
    book_.leave(connection, died, now_s_);
    deliver();
  }
  // `silent` reports nothing.
  void run(int seconds, int silent = -1) {
    for (int i = 0; i < seconds; ++i) {
      now_s_ += 1;
      for (auto& [connection, job] : jobs_) {
        if (connection != silent) book_.report(connection, report_of(job), now_s_);
      }
      book_.tick(now_s_);
      deliver();
    }
  }

  SimulatedJob& at(int connection) { return jobs_.at(connection); }
  int workers(int connection) const { return jobs_.at(connection).workers; }
  double now_s() const { return now_s_; }
  int told() const { return told_; }  // messages so far

  ReportMessage report_of(const SimulatedJob& job) const {
    const double rate = job.rate(job.workers);
    const double worker_s = job.worker_s * std::pow(job.workers, job.bend);
    const double free_s = job.shows_ceiling ? rate / job.ceiling : 0.1;
    return {.workers = job.workers,
            .elapsed_s = 1,
            .samples = std::llround(rate * 1000) / 1000,
            .batches = std::max<std::int64_t>(std::llround(rate / job.batch), 1),
            .waited_s = rate < job.ceiling * 0.999 ? 1 - free_s : 0,
            .busy_s = rate * worker_s,
            .cpu_s = now_s_};
  }

 private:
  void deliver() {
    for (const auto& [connection, reply] : book_.take_outbox()) {
      const auto* share = std::get_if<ShareMessage>(&reply);
      if (share == nullptr || !jobs_.contains(connection)) continue;
      jobs_.at(connection).workers = share->workers;
      ++told_;
    }
  }

  PoolBook& book_;
  std::map<int, SimulatedJob> jobs_;
  double now_s_ = 0;
  int told_ = 0;
};

}  // namespace stash
