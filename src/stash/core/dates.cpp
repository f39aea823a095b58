#include "stash/core/dates.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "stash/core/error.h"

namespace stash {
namespace {

std::string format_date(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace

std::string today() { return format_date(std::time(nullptr)); }

std::string date_of_file(const std::filesystem::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? format_date(status.st_mtime) : today();
}

std::string parse_date(std::string_view text, std::string_view option) {
  const std::string date(text);
  int year = 0, month = 0, day = 0, used = 0;
  const bool read = std::sscanf(date.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &used) == 3;
  const bool valid =
      std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                  std::chrono::day(static_cast<unsigned>(day)))
          .ok();
  if (!read || static_cast<std::size_t>(used) != date.size() || date.size() != 10 || !valid) {
    throw UsageError(fmt::format("{} takes a day, not '{}'; write it like 2026-08-22", option, text));
  }
  return date;
}

}  // namespace stash
