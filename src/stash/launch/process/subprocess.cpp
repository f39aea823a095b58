#include "stash/launch/process/subprocess.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/process/child.h"

namespace stash {
namespace {

// How often a child is looked at that ended but left its streams to a grandchild.
constexpr int kOpenTickMs = 50;
// And one that closed its streams: it is about to end.
constexpr int kClosedTickMs = 1;
// A compiler writes no longer lines; a longer one is handed on in pieces.
constexpr std::size_t kLineLimitBytes = 64 * 1024;

// Hands on whole lines as they come.
class LineSplitter {
 public:
  explicit LineSplitter(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}
  void add(std::string_view text) {
    if (!on_line_) return;
    rest_ += text;
    std::size_t start = 0;
    for (std::size_t end; (end = rest_.find('\n', start)) != std::string::npos; start = end + 1) {
      on_line_(std::string_view(rest_).substr(start, end - start));
    }
    rest_.erase(0, start);
    if (rest_.size() > kLineLimitBytes) finish();
  }
  void finish() {
    if (on_line_ && !rest_.empty()) on_line_(rest_);
    rest_.clear();
  }

 private:
  const std::function<void(std::string_view)>& on_line_;
  std::string rest_;
};

// Reads what is there; closes at the end of the stream. What is over the limit is read and dropped.
void drain(Fd& fd, std::string& kept, std::size_t limit_bytes, bool& truncated, LineSplitter* lines) {
  std::array<char, 16384> buffer{};
  while (fd.get() >= 0) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return fd.close();
    const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t room = limit_bytes - std::min(limit_bytes, kept.size());
    kept += text.substr(0, room);
    truncated = truncated || text.size() > room;
    if (lines) lines->add(text);
  }
}

int wait_ms(const std::optional<std::int64_t>& deadline_ns, int most_ms) {
  if (!deadline_ns) return most_ms;
  const std::int64_t left_ms = (*deadline_ns - now_ns()) / 1'000'000 + 1;
  return static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, most_ms));
}

// One run: the child, its two streams, and what is kept of them.
class Capture {
 public:
  explicit Capture(const Command& command)
      : command_(command), lines_(command.on_line), child_(command, output_, errors_) {
    if (command.deadline_s) deadline_ns_ = now_ns() + nanoseconds(*command.deadline_s);
    output_.write_end.close();
    errors_.write_end.close();
  }

  CommandResult run() {
    while (!result_.timed_out) {
      wait_for_output();
      const bool ended = child_.ended();  // before reading: then all that it wrote is there
      read();
      if (ended) break;
      result_.timed_out = deadline_ns_ && now_ns() >= *deadline_ns_;
    }
    if (result_.timed_out) child_.kill();
    const int status = child_.status();
    if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    lines_.finish();
    return std::move(result_);
  }

 private:
  void wait_for_output() {
    std::array<pollfd, 2> streams{pollfd{output_.read_end.get(), POLLIN, 0}, pollfd{errors_.read_end.get(), POLLIN, 0}};
    const bool open = streams[0].fd >= 0 || streams[1].fd >= 0;
    ::poll(streams.data(), streams.size(), wait_ms(deadline_ns_, open ? kOpenTickMs : kClosedTickMs));
  }

  void read() {
    drain(output_.read_end, result_.output, command_.limit_bytes, result_.truncated, &lines_);
    drain(errors_.read_end, result_.errors, command_.limit_bytes, result_.truncated, nullptr);
  }

  const Command& command_;
  LineSplitter lines_;
  Pipe output_, errors_;
  Child child_;
  std::optional<std::int64_t> deadline_ns_;
  CommandResult result_;
};

}  // namespace

CommandResult run_command(const Command& command) {
  if (command.arguments.empty()) throw Error("cannot start a command without arguments");
  return Capture(command).run();
}

std::string describe_end(const CommandResult& result) {
  if (result.timed_out) return "no end within its deadline";
  if (result.signal) return fmt::format("signal {} ({})", *result.signal, sigdescr_np(*result.signal));
  return fmt::format("exit code {}", result.exit_code.value_or(0));
}

std::optional<std::filesystem::path> find_program(std::string_view name) {
  const auto runs = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    return runs(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (runs(file)) return file;
  }
  return std::nullopt;
}

}  // namespace stash
