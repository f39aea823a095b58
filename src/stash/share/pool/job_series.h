#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stash/launch/process/background_command.h"
#include "stash/share/pool/pool_state.h"

namespace stash {

struct SeriesJob {
  std::string name;
  double arrives_s = 0;
  BackgroundCommand command;
};

// Starts jobs when they arrive, or when there is room for them, and waits for their ends. Times are the caller's.
class JobSeries {
 public:
  using Tell = std::function<void(const std::string& line)>;

  JobSeries(std::vector<SeriesJob> jobs, int most_at_a_time, Tell tell);

  void tick(double now_s);
  bool is_over() const;
  bool all_succeeded() const;
  void signal(int number) const;  // to those that run
  void start_no_more() { closed_ = true; }
  std::vector<PoolRun> runs() const;
  std::optional<double> makespan_s() const;  // from the first start to the last end

 private:
  struct Entry {
    SeriesJob job;
    PoolRun run;
    std::optional<BackgroundProcess> process;
  };
  void start(Entry& entry, double now_s);

  std::vector<Entry> entries_;  // by arrival
  int most_;
  Tell tell_;
  bool closed_ = false;
};

}  // namespace stash
