#pragma once

#include <sys/types.h>

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stash/launch/process/line_channel.h"

namespace stash {

// How to start one rank.
struct RankCommand {
  std::vector<std::string> arguments;                            // program first; never a shell
  std::vector<std::pair<std::string, std::string>> environment;  // added to or replacing the own
  std::vector<int> cores;                                        // pinned to these

  bool operator==(const RankCommand&) const = default;
};

// How a rank ended.
struct RankEnd {
  int rank = 0;
  int exit_code = 0;
  std::optional<int> signal;
  bool stopped_by_us = false;  // after another rank's fault, or at the end of the grace
  std::string last_output;     // the last lines of its stdout and stderr

  bool clean() const { return exit_code == 0 && !signal; }
};

using OnRankEvent = std::function<void(int rank, std::string_view line)>;  // a line that a rank reported

// A rank's process. It dies with the one that started it.
class RankProcess {
 public:
  RankProcess(int index, const RankCommand& command, int shared_fd);  // Error when it cannot be started

  int index() const { return index_; }
  pid_t pid() const { return pid_; }
  bool alive() const { return pid_ > 0; }  // or dead, and not reaped yet
  bool runs() const;
  std::array<int, 2> fds() const { return {events_.fd(), output_.fd()}; }

  void read(const OnRankEvent& on_event);
  void signal(int number);
  // How it ended, once it has; does not wait.
  std::optional<RankEnd> reap(const OnRankEvent& on_event);
  void kill_and_wait();

 private:
  void start(const RankCommand& command, int shared_fd, int event_fd, int output_fd);
  void keep(std::string_view line);

  int index_;
  pid_t pid_ = -1;
  bool stopped_by_us_ = false;
  LineReader events_;
  LineReader output_;
  std::deque<std::string> last_lines_;
};

}  // namespace stash
