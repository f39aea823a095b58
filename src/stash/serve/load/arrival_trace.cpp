#include "stash/serve/load/arrival_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <random>
#include <string>

#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"

namespace stash {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;
constexpr double kMostPeriodRequests = 1e9;
constexpr double kLatestTime_s = 1e10;  // 300 years, which nanoseconds can hold

// Where a row has its time, and what it counts.
struct TraceColumns {
  std::size_t time = 0;
  double unit_s = 1;                      // of the time column
  std::optional<std::size_t> requests{};  // nullopt: every row is one request
};

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return name.starts_with(one); });
}

double unit_of(std::string_view name) {
  if (name.ends_with("_ms")) return 1e-3;
  if (name.ends_with("_us")) return 1e-6;
  if (name.ends_with("_ns")) return 1e-9;
  return 1;
}

TraceColumns columns_of(std::span<const std::string_view> header, std::string_view source) {
  constexpr std::array<std::string_view, 4> kTimes{"time", "arrival", "second", "minute"};
  std::optional<std::size_t> time, requests;
  std::string time_name;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string name = lower_case(header[i]);
    if (!requests && (name == "requests" || name == "count" || name == "counts")) requests = i;
    if (time || !begins_with_one_of(name, kTimes)) continue;
    time = i;
    time_name = name;
  }
  const bool in_minutes = time_name.starts_with("minute");
  if (!time || (in_minutes && !requests)) {
    throw Error(fmt::format(
        "{}: the header names neither a column of times (time, arrival, seconds) nor counts (second or minute, and "
        "requests)",
        source));
  }
  return {*time, in_minutes ? 60 : unit_of(time_name), requests};
}

double number_in(std::string_view field, std::string_view source, std::size_t line) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value)) {
    throw Error(fmt::format("{}, line {}: '{}' is not a number", source, line, field.substr(0, 40)));
  }
  return value;
}

class TraceReader {
 public:
  TraceReader(std::string_view source, const TraceOptions& options)
      : source_(source), options_(options), random_(options.seed) {}

  ArrivalPlan read(std::istream& csv) {
    std::string line;
    while (!ended_ && std::getline(csv, line)) take(line);
    if (line_ == 0) throw Error(fmt::format("{} is empty", source_));
    if (plan_.empty()) throw Error(fmt::format("{} holds no request", source_));
    std::ranges::sort(plan_);
    return std::move(plan_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}, line {}: {}", source_, line_, what));
  }

  void take(std::string& line) {
    ++line_;
    if (line.ends_with('\r')) line.pop_back();
    if (line.size() > kLongestLine) fail("is longer than 64 kB");
    if (line.empty()) return;
    const std::string fault = split_csv_line(line, fields_);
    if (!fault.empty()) fail(fault);
    if (!columns_) {
      columns_ = columns_of(fields_, source_);
      width_ = fields_.size();
      return;
    }
    if (fields_.size() != width_) fail(fmt::format("has {} fields, the header has {}", fields_.size(), width_));
    take_row();
  }

  void take_row() {
    const double at_s = number_in(fields_[columns_->time], source_, line_) * columns_->unit_s;
    if (std::abs(at_s) > kLatestTime_s) fail("the time is beyond 300 years");
    if (!first_s_) first_s_ = at_s;
    if (at_s < last_s_.value_or(at_s)) fail("goes back in time: sort the rows");
    if (columns_->requests && last_s_ && at_s < *last_s_ + columns_->unit_s) fail("counts the same period again");
    last_s_ = at_s;
    const double after_s = at_s - *first_s_;
    ended_ = after_s >= options_.duration_s;
    if (ended_) return;
    if (columns_->requests) {
      add_period(after_s, number_in(fields_[*columns_->requests], source_, line_));
    } else {
      add(after_s, times_taken(1));
    }
  }

  void add_period(double after_s, double requests) {
    if (requests < 0 || requests > kMostPeriodRequests || requests != std::floor(requests)) {
      fail(fmt::format("{:g} is no number of requests", requests));
    }
    std::uniform_real_distribution<double> place(0, columns_->unit_s);
    for (std::int64_t left = times_taken(static_cast<std::int64_t>(requests)); left > 0; --left) {
      const double at_s = after_s + place(random_);
      if (at_s < options_.duration_s) add(at_s, 1);
    }
  }

  // Of so many recorded requests.
  std::int64_t times_taken(std::int64_t requests) {
    const double whole = std::floor(options_.scale);
    const double rest = options_.scale - whole;
    std::int64_t taken = requests * static_cast<std::int64_t>(whole);
    if (rest > 0) taken += std::binomial_distribution<std::int64_t>(requests, rest)(random_);
    return taken;
  }

  void add(double at_s, std::int64_t times) {
    if (plan_.size() + static_cast<std::size_t>(times) > kMostArrivals) {
      throw UsageError(fmt::format("{} holds more than {} requests: take less of it with --for or --scale", source_,
                                   format_count(kMostArrivals)));
    }
    plan_.insert(plan_.end(), static_cast<std::size_t>(times), static_cast<std::int64_t>(at_s * 1e9));
  }

  std::string_view source_;
  TraceOptions options_;
  std::mt19937_64 random_;
  std::optional<TraceColumns> columns_;
  std::size_t width_ = 0;
  std::size_t line_ = 0;
  std::optional<double> first_s_, last_s_;
  bool ended_ = false;
  std::vector<std::string_view> fields_;
  ArrivalPlan plan_;
};

}  // namespace

ArrivalPlan read_arrivals(std::istream& csv, std::string_view source, const TraceOptions& options) {
  return TraceReader(source, options).read(csv);
}

ArrivalPlan read_arrivals(const std::filesystem::path& file, const TraceOptions& options) {
  std::ifstream csv(file);
  if (!csv) throw Error(fmt::format("cannot read {}", file.string()));
  return read_arrivals(csv, file.string(), options);
}

}  // namespace stash
