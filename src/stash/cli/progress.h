#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stash {

// Progress on stderr: one line that changes on a terminal, a line now and then in a log.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();  // leaves no half line behind
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(std::string_view text);  // at once on a terminal; in a log when something else was shown long ago
  void say(std::string_view text);   // a line that stays
  void tell(std::string_view text, bool passing) { passing ? show(text) : say(text); }

 private:
  void clear();

  bool terminal_;
  bool shown_ = false;
  std::int64_t logged_ns_ = 0;
};

// "making images 120 of 256, 3 s left".
class CountProgress {
 public:
  explicit CountProgress(std::string_view what);
  void show(std::int64_t done, std::int64_t total);

 private:
  std::string what_;
  std::int64_t start_ns_;
  StatusLine line_;
};

}  // namespace stash
