#include "stash/launch/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/affinity.h"
#include "stash/launch/hang.h"
#include "stash/launch/line_channel.h"
#include "stash/launch/stop_signals.h"

extern char** environ;

namespace stash {
namespace {

constexpr std::size_t kEventLimitBytes = 64u << 20;  // the whole of a large model's layers is far below
constexpr std::size_t kOutputLimitBytes = 4096;      // of one line that a rank prints
constexpr std::size_t kOutputLines = 12;             // kept for the message when the rank fails
constexpr int kPollMs = 50;
constexpr double kPeersGrace_s = 1.0;  // for the others to report what they saw when one rank failed
constexpr double kTermGrace_s = 2.0;   // from SIGTERM to SIGKILL

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("cannot make a pipe for a rank: {}", std::strerror(errno)));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

std::vector<std::string> merged_environment(const RankProcess& process, int event_fd, int shared_fd) {
  std::vector<std::pair<std::string, std::string>> changes = process.environment;
  changes.emplace_back(kEventFdVariable, std::to_string(event_fd));
  changes.emplace_back(kSharedFdVariable, std::to_string(shared_fd));
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(changes.begin(), changes.end(), [&](const auto& c) { return c.first == name; });
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [name, value] : changes) merged.push_back(name + '=' + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

class Rank {
 public:
  Rank(int index, const RankProcess& process, int shared_fd) : index_(index), events_(-1, 0), output_(-1, 0) {
    const Pipe events = make_pipe();
    const Pipe output = make_pipe();
    start(process, shared_fd, events.write_end, output.write_end);
    close(events.write_end);
    close(output.write_end);
    events_ = LineReader(events.read_end, kEventLimitBytes);
    output_ = LineReader(output.read_end, kOutputLimitBytes);
  }

  int index() const { return index_; }
  pid_t pid() const { return pid_; }
  bool alive() const { return pid_ > 0; }
  std::array<int, 2> fds() const { return {events_.fd(), output_.fd()}; }

  void read(const SupervisorOptions& options) {
    if (!events_.read_lines([&](std::string_view line) { options.on_event(index_, line); })) events_.close();
    if (!output_.read_lines([&](std::string_view line) { keep(line); })) output_.close();
  }

  void signal(int number) {
    if (!alive()) return;
    stopped_by_us_ = true;
    kill(pid_, number);
    kill(pid_, SIGCONT);  // a stopped process takes its signal only when it goes on
  }

  std::optional<RankEnd> reap(const SupervisorOptions& options) {
    int status = 0;
    if (!alive() || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    pid_ = -1;
    read(options);
    RankEnd end{.rank = index_,
                .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                .signal = std::nullopt,
                .stopped_by_us = stopped_by_us_,
                .last_output = {}};
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    for (const std::string& line : last_lines_) end.last_output += line + '\n';
    return end;
  }

 private:
  void start(const RankProcess& process, int shared_fd, int event_fd, int output_fd) {
    // Everything that allocates happens before fork.
    std::vector<std::string> arguments = process.arguments;
    std::vector<std::string> environment = merged_environment(process, event_fd, shared_fd);
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> envp = pointers(environment);
    const pid_t supervisor = getpid();
    pid_ = fork();
    if (pid_ < 0) throw Error(fmt::format("cannot start rank {}: {}", index_, std::strerror(errno)));
    if (pid_ > 0) return;
    setpgid(0, 0);  // Ctrl-C reaches the supervisor alone, which ends the ranks in order
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    pin_to_cores(process.cores);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(output_fd, 1);
    dup2(output_fd, 2);
    fcntl(event_fd, F_SETFD, 0);
    execvpe(argv[0], argv.data(), envp.data());
    dprintf(2, "cannot start %s: %s\n", argv[0], std::strerror(errno));
    _exit(127);
  }

  void keep(std::string_view line) {
    if (line.empty()) return;
    last_lines_.emplace_back(line);
    if (last_lines_.size() > kOutputLines) last_lines_.pop_front();
  }

  int index_;
  pid_t pid_ = -1;
  bool stopped_by_us_ = false;
  LineReader events_;
  LineReader output_;
  std::deque<std::string> last_lines_;
};

class Supervisor {
 public:
  Supervisor(const std::vector<RankProcess>& processes, SharedState& shared, const SupervisorOptions& options)
      : shared_(shared), options_(options) {
    for (RankState& state : shared.states()) state.beat(Phase::starting);
    try {
      for (std::size_t i = 0; i < processes.size(); ++i) {
        ranks_.emplace_back(static_cast<int>(i), processes[i], shared.fd());
      }
    } catch (...) {
      signal_all(SIGKILL);
      throw;
    }
  }

  Outcome run() {
    while (std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.alive(); })) {
      wait_for_input();
      for (Rank& rank : ranks_) rank.read(options_);
      reap();
      if (signals_.take()) interrupt();
      if (!outcome_.interrupted && options_.stop && options_.stop()) interrupt();
      check_for_a_hang();
      end_by_deadline();
      if (options_.on_tick) options_.on_tick();
    }
    return std::move(outcome_);
  }

 private:
  void wait_for_input() {
    std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0}};
    for (const Rank& rank : ranks_) {
      for (const int fd : rank.fds()) {
        if (fd >= 0) fds.push_back({fd, POLLIN, 0});
      }
    }
    poll(fds.data(), fds.size(), kPollMs);
  }

  void reap() {
    for (Rank& rank : ranks_) {
      std::optional<RankEnd> end = rank.reap(options_);
      if (!end) continue;
      if (!end->clean()) end_within(kPeersGrace_s);
      outcome_.ends.push_back(std::move(*end));
    }
  }

  void interrupt() {
    if (outcome_.interrupted) return end_within(0);
    outcome_.interrupted = true;
    shared_.request_stop();
    end_within(options_.grace_s);
  }

  void check_for_a_hang() {
    if (term_at_ns_ != 0) return;
    const std::optional<int> hung =
        find_hung_rank(shared_.states(), now_ns(), nanoseconds(options_.deadline_s), options_.patience,
                       [&](int rank) { return ranks_[static_cast<std::size_t>(rank)].pid(); });
    if (!hung) return;
    outcome_.hung_rank = hung;
    outcome_.hung_in = shared_.rank(*hung).phase.load();
    end_within(0);
  }

  void end_within(double grace_s) {
    const std::int64_t at = now_ns() + nanoseconds(grace_s);
    if (term_at_ns_ == 0 || at < term_at_ns_) term_at_ns_ = at;
  }

  void end_by_deadline() {
    if (term_at_ns_ == 0) return;
    const std::int64_t now = now_ns();
    if (!terminated_ && now >= term_at_ns_) {
      signal_all(SIGTERM);
      terminated_ = true;
    } else if (terminated_ && now >= term_at_ns_ + nanoseconds(kTermGrace_s)) {
      signal_all(SIGKILL);
    }
  }

  void signal_all(int number) {
    for (Rank& rank : ranks_) rank.signal(number);
  }

  SharedState& shared_;
  const SupervisorOptions& options_;
  StopSignals signals_;
  std::vector<Rank> ranks_;
  Outcome outcome_;
  std::int64_t term_at_ns_ = 0;  // 0: nobody has to end yet
  bool terminated_ = false;
};

}  // namespace

Outcome supervise(const std::vector<RankProcess>& processes, SharedState& shared, const SupervisorOptions& options) {
  return Supervisor(processes, shared, options).run();
}

}  // namespace stash
