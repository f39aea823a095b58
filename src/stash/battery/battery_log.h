#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace stash {

// The log of a battery's folder, and the right to run it: one process at a time. A line of JSON for each event (begin,
// start, finish, fail, cut, end), with the time and the case. A line that was cut short is passed over.
class BatteryLog {
 public:
  // Error when another process has the folder. Beats by itself unless a clock is given, which is for tests.
  explicit BatteryLog(const std::filesystem::path& folder, std::function<double()> unix_now_s = {});
  ~BatteryLog();
  BatteryLog(const BatteryLog&) = delete;
  BatteryLog& operator=(const BatteryLog&) = delete;

  void add(std::string_view event, std::string_view name = {}, std::string_view why = {});
  void beat();  // still alive: what a killed battery spent is known to the last beat, of each second

  double spent_before_s() const { return spent_before_s_; }  // by the calls before this one

 private:
  void close_calls_before();
  void keep_beating(const std::stop_token& stop);

  std::filesystem::path path_;
  std::function<double()> unix_now_s_;
  int lock_fd_ = -1;
  int log_fd_ = -1;
  double spent_before_s_ = 0;
  std::jthread heart_;
};

}  // namespace stash
