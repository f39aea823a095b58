#include "stash/fleet/traffic/trace_time.h"

#include <charconv>
#include <chrono>
#include <cmath>

namespace stash {
namespace {

// Takes pieces off a text from the left.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : text_(text) {}

  bool is_empty() const { return text_.empty(); }

  bool take(char wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::optional<int> digits(std::size_t count) {
    if (text_.size() < count) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (text_[i] < '0' || text_[i] > '9') return std::nullopt;
      value = 10 * value + (text_[i] - '0');
    }
    text_.remove_prefix(count);
    return value;
  }

  double fraction() {
    double value = 0, place = 0.1;
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; text_.remove_prefix(1), place /= 10) {
      value += place * (text_[0] - '0');
    }
    return value;
  }

 private:
  std::string_view text_;
};

std::optional<double> day_of(TimeText& text) {
  const auto year = text.digits(4);
  if (!year || !(text.take('-') || text.take('/'))) return std::nullopt;
  const auto month = text.digits(2);
  if (!month || !(text.take('-') || text.take('/'))) return std::nullopt;
  const auto day = text.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return 86400.0 * std::chrono::sys_days(date).time_since_epoch().count();
}

// Hours and minutes, and seconds where there are some.
std::optional<double> clock_of(TimeText& text) {
  const auto hour = text.digits(2);
  if (!hour || *hour > 24 || !text.take(':')) return std::nullopt;
  const auto minute = text.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  double s = 3600.0 * *hour + 60.0 * *minute;
  if (!text.take(':')) return s;
  const auto second = text.digits(2);
  if (!second || *second > 60) return std::nullopt;
  s += *second;
  if (text.take('.') || text.take(',')) s += text.fraction();
  return s;
}

// False: what is left is no zone.
bool take_zone(TimeText& text, TraceTime& time) {
  text.take(' ');
  if (text.is_empty()) return true;
  if (text.take('Z') || text.take('z')) {
    time.zone_s = 0;
    return text.is_empty();
  }
  const bool is_west = text.take('-');
  if (!is_west && !text.take('+')) return false;
  const auto hours = text.digits(2);
  if (!hours || *hours > 14) return false;
  text.take(':');
  const auto minutes = text.is_empty() ? std::optional(0) : text.digits(2);
  if (!minutes || *minutes > 59 || !text.is_empty()) return false;
  time.zone_s = (is_west ? -1 : 1) * (3600 * *hours + 60 * *minutes);
  time.s -= *time.zone_s;
  return true;
}

}  // namespace

std::optional<TraceTime> parse_trace_time(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    return std::isfinite(number) ? std::optional(TraceTime{.s = number}) : std::nullopt;
  }
  TimeText rest(text);
  const auto day_s = day_of(rest);
  if (!day_s) return std::nullopt;
  TraceTime time{.s = *day_s, .is_date = true};
  if (rest.is_empty()) return time;
  if (!rest.take('T') && !rest.take(' ') && !rest.take('t')) return std::nullopt;
  const auto clock_s = clock_of(rest);
  if (!clock_s) return std::nullopt;
  time.s += *clock_s;
  return take_zone(rest, time) ? std::optional(time) : std::nullopt;
}

}  // namespace stash
