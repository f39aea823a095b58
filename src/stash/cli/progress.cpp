#include "stash/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "stash/core/clock.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::int64_t kLogInterval_ns = 5'000'000'000;

}  // namespace

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::clear() {
  if (terminal_ && shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

void StatusLine::show(std::string_view text) {
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", text);
    std::fflush(stderr);
    shown_ = true;
  } else if (now_ns() - logged_ns_ >= kLogInterval_ns) {
    logged_ns_ = now_ns();
    fmt::print(stderr, "{}\n", text);
  }
}

void StatusLine::say(std::string_view text) {
  clear();
  fmt::print(stderr, "{}\n", text);
}

CountProgress::CountProgress(std::string_view what) : what_(what), start_ns_(now_ns()) {}

void CountProgress::show(std::int64_t done, std::int64_t total) {
  const double elapsed_s = seconds(now_ns() - start_ns_);
  const double left_s =
      elapsed_s * static_cast<double>(total - done) / static_cast<double>(std::max<std::int64_t>(1, done));
  line_.show(
      fmt::format("{} {} of {}, {} left", what_, format_count(done), format_count(total), format_duration(left_s)));
}

}  // namespace stash
