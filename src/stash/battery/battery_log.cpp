#include "stash/battery/battery_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLogFile = "log.jsonl";
constexpr const char* kLockFile = "lock";
constexpr std::size_t kLargestLog = 64u << 20;
constexpr double kBeat_s = 1;  // what a killed battery may have spent without a trace

struct Event {
  std::string kind;
  double at_s = 0;
};

double unix_clock_s() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::vector<Event> read_events(const fs::path& path) {
  std::vector<Event> events;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return events;
  const std::string text = read_file(path, kLargestLog);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const auto json = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(start),
                                            text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    start = end + 1;
    if (!json.is_object() || !json.contains("event") || !json.contains("unix_s")) continue;
    if (!json["event"].is_string() || !json["unix_s"].is_number()) continue;
    events.push_back({json["event"], json["unix_s"]});
  }
  return events;
}

int open_file(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0) return fd;
  throw Error(fmt::format("cannot open {}: {}; may its folder be written?", path.string(), std::strerror(errno)));
}

}  // namespace

BatteryLog::BatteryLog(const fs::path& folder, std::function<double()> unix_now_s)
    : path_(folder / kLogFile), unix_now_s_(unix_now_s ? unix_now_s : unix_clock_s) {
  lock_fd_ = open_file(folder / kLockFile, 0);
  if (::flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_fd_);
    throw Error(fmt::format("another battery runs in '{}': wait for its end, or name another folder with --out",
                            folder.string()));
  }
  log_fd_ = open_file(path_, O_APPEND);
  close_calls_before();
  add("begin");
  beat();
  if (!unix_now_s) heart_ = std::jthread([this](const std::stop_token& stop) { keep_beating(stop); });
}

BatteryLog::~BatteryLog() {
  if (heart_.joinable()) {
    heart_.request_stop();
    heart_.join();
  }
  try {
    add("end");
  } catch (const Error&) {  // a full disk; the last beat tells nearly the same
  }
  ::close(log_fd_);
  ::close(lock_fd_);
}

// A call that was killed wrote no end: its last beat stands for it.
void BatteryLog::close_calls_before() {
  const std::vector<Event> events = read_events(path_);
  double begin_s = 0, last_s = 0;
  for (const Event& event : events) {
    if (event.kind == "begin") {
      spent_before_s_ += last_s - begin_s;
      begin_s = event.at_s;
    }
    last_s = event.at_s;
  }
  if (!events.empty() && events.back().kind != "end") {
    struct stat status{};
    ::fstat(lock_fd_, &status);
    const double beat_s =
        static_cast<double>(status.st_mtim.tv_sec) + static_cast<double>(status.st_mtim.tv_nsec) * 1e-9;
    last_s = std::max(last_s, std::min(beat_s, unix_now_s_()));
  }
  spent_before_s_ += last_s - begin_s;
  const bool whole = events.empty() || events.back().kind == "end";
  if (whole) return;
  // Its own line, whatever was left of the last one.
  const std::string line = fmt::format("\n{}\n", nlohmann::json{{"event", "end"}, {"unix_s", last_s}}.dump());
  if (::write(log_fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw Error(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  }
}

void BatteryLog::add(std::string_view event, std::string_view name, std::string_view why) {
  nlohmann::json json{{"event", event}, {"unix_s", unix_now_s_()}};
  if (!name.empty()) json["case"] = name;
  if (!why.empty()) json["why"] = why;
  const std::string line = dump_json(json) + "\n";
  if (::write(log_fd_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
  throw Error(fmt::format("cannot write {}: {}; free some space", path_.string(), std::strerror(errno)));
}

void BatteryLog::beat() {
  const double now_s = unix_now_s_();
  timespec time{.tv_sec = static_cast<std::time_t>(now_s), .tv_nsec = 0};
  time.tv_nsec = static_cast<long>((now_s - static_cast<double>(time.tv_sec)) * 1e9);
  const timespec times[2] = {time, time};
  ::futimens(lock_fd_, times);
}

// Signals are for the thread that waits for them.
void BatteryLog::keep_beating(const std::stop_token& stop) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any wake;
  while (!stop.stop_requested()) {
    beat();
    wake.wait_for(lock, stop, std::chrono::duration<double>(kBeat_s), [] { return false; });
  }
}

}  // namespace stash
