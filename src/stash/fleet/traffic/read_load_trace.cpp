#include "stash/fleet/traffic/read_load_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/traffic/recording_holes.h"
#include "stash/fleet/traffic/trace_header.h"
#include "stash/fleet/traffic/trace_slots.h"
#include "stash/fleet/traffic/trace_time.h"

namespace stash {
namespace {

constexpr std::size_t kLongestRow = 64 * 1024;
constexpr std::size_t kMostServices = 1000;
constexpr std::size_t kMostTimed = 20'000'000;  // 320 MB
constexpr std::size_t kRowsForStep = 1000;      // whose distances tell how long a slot is
constexpr double kLongestSlot_s = 3600;
constexpr double kLeastEpoch_s = 1e8;  // numbers above are seconds since 1970, not an index of minutes
constexpr double kLatest_s = 1e11;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

double epoch_unit(double value) {
  const double size = std::abs(value);
  if (size > 1e17) return 1e-9;
  if (size > 1e14) return 1e-6;
  if (size > 1e11) return 1e-3;
  return 1;
}

class LoadTraceReader {
 public:
  LoadTraceReader(std::string_view source, const LoadTraceOptions& options) : source_(source), options_(options) {}

  LoadTrace read(std::istream& csv) {
    std::string line;
    while (std::getline(csv, line)) take_line(line);
    if (csv.bad()) throw Error(fmt::format("cannot read {}", source_));
    if (!header_) throw Error(fmt::format("{} is empty: it needs a header and rows, like minute,requests", source_));
    if (rows_ == 0) throw_without_rows();
    settle();
    return finished();
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::size_t line) const {
    throw Error(fmt::format("{}, line {}: {}", source_, line, what));
  }
  [[noreturn]] void fail(std::string_view what) const { fail(what, line_); }

  [[noreturn]] void throw_without_rows() const {
    if (options_.service.empty()) throw Error(fmt::format("{} holds no rows under its header", source_));
    std::string names;
    for (const auto& [name, last_s] : services_) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    throw UsageError(fmt::format("{} has no rows of the service '{}'{}", source_, options_.service,
                                 names.empty() ? "" : fmt::format("; it has {}", names.substr(0, 200))));
  }

  void take_line(std::string& line) {
    ++line_;
    if (line.ends_with('\r')) line.pop_back();
    if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.size() > kLongestRow) fail("is longer than 64 kB");
    if (trimmed(line).empty()) return;
    if (!header_ && line.find(',') == std::string::npos) {
      if (line.find(';') != std::string::npos) separator_ = ';';
      if (line.find('\t') != std::string::npos) separator_ = '\t';
    }
    if (separator_ != ',') std::ranges::replace(line, separator_, ',');
    if (const std::string fault = split_csv_line(line, fields_); !fault.empty()) fail(fault);
    if (!header_) {
      header_ = read_trace_header(fields_, source_);
      width_ = fields_.size();
      return;
    }
    if (fields_.size() != width_) fail(fmt::format("has {} fields, the header has {}", fields_.size(), width_));
    take_row();
  }

  void take_row() {
    double* const last_s = last_of_service();
    if (last_s == nullptr) return;
    const double at_s = time_of_row();
    if (at_s < *last_s) fail("goes back in time: sort the rows by time");
    if (header_->requests && at_s == *last_s) fail("counts the same time again");
    *last_s = at_s;
    ++rows_;
    if (header_->requests) {
      take_count(at_s);
    } else {
      take_request(at_s);
    }
  }

  // Nullptr: of another service than the one asked for.
  double* last_of_service() {
    const std::string_view name = header_->service ? trimmed(fields_[*header_->service]) : std::string_view();
    auto found = services_.find(name);
    if (found == services_.end()) {
      if (services_.size() == kMostServices) fail(fmt::format("more than {} services", kMostServices));
      found = services_.emplace(std::string(name), -kLatest_s * 2).first;
    }
    if (options_.service.empty() || name == options_.service) return &found->second;
    return nullptr;
  }

  double number_in(std::size_t column, std::string_view what) const {
    const std::string_view field = trimmed(fields_[column]);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value)) {
      fail(field.empty() ? fmt::format("no {}", what) : fmt::format("'{}' is no {}", field.substr(0, 40), what));
    }
    return value;
  }

  double time_of_row() {
    if (!header_->time) return static_cast<double>(rows_) * *header_->slot_s;
    const std::string_view field = trimmed(fields_[*header_->time]);
    const auto time = parse_trace_time(field);
    if (!time) {
      fail(field.empty()
               ? std::string("no time")
               : fmt::format("'{}' is no time; times are seconds or like 2021-08-01T00:01:00Z", field.substr(0, 40)));
    }
    check_kind(*time, field);
    double s = time->s;
    if (!time->is_date) {
      if (!unit_s_) unit_s_ = unit_of(s);
      s *= *unit_s_;
    }
    if (!(std::abs(s) <= kLatest_s)) fail(fmt::format("the time {} is absurd", field.substr(0, 40)));
    return s;
  }

  double unit_of(double first) const {
    const bool is_epoch = std::abs(first) > kLeastEpoch_s;
    if (header_->unit_s && !(is_epoch && *header_->unit_s == 60)) return *header_->unit_s;
    return epoch_unit(first);
  }

  void check_kind(const TraceTime& time, std::string_view field) {
    if (!first_) {
      first_ = time;
      return;
    }
    if (time.is_date != first_->is_date) {
      fail(fmt::format("'{}' is {}, and the rows before it have {}", field.substr(0, 40),
                       time.is_date ? "a date" : "a number", time.is_date ? "numbers" : "dates"));
    }
    if (time.zone_s.has_value() != first_->zone_s.has_value()) {
      fail(fmt::format("'{}' has {} time zone, and the rows before it have {}: give all rows the same",
                       field.substr(0, 40), time.zone_s ? "a" : "no", time.zone_s ? "none" : "one"));
    }
    if (time.zone_s == first_->zone_s || zone_changed_) return;
    zone_changed_ = true;
    warnings_.push_back(
        fmt::format("the time zone changes in line {}: rows are taken in the order of their moments", line_));
  }

  void take_count(double at_s) {
    CountedRow row{.at_s = at_s, .requests = number_in(*header_->requests, "number of requests"), .line = line_};
    if (header_->peak_5s) row.peak_5s = number_in(*header_->peak_5s, "number of requests");
    if (!header_->rate_s && row.requests != std::floor(row.requests)) {
      fail(fmt::format("{:g} is no number of requests", row.requests));
    }
    if (row.requests < 0) fail(fmt::format("{:g} requests are fewer than none", row.requests));
    if (slots_) {
      add(row);
      return;
    }
    first_rows_.push_back(row);
    if (header_->slot_s || first_rows_.size() >= kRowsForStep) settle();
  }

  void add(CountedRow row) {
    if (header_->rate_s) row.requests *= slot_s_ / *header_->rate_s;
    if (const std::string fault = slots_->add(row); !fault.empty()) fail(fault, row.line);
  }

  void take_request(double at_s) {
    if (!slots_) settle();
    if (const std::string fault = slots_->add_request(at_s); !fault.empty()) fail(fault);
    has_fractions_ = has_fractions_ || at_s != std::floor(at_s);
    if (too_many_timed_) return;
    TimedRequest request{.at_s = at_s};
    if (header_->in) request.in = size_in(*header_->in);
    if (header_->out) request.out = size_in(*header_->out);
    timed_.push_back(request);
    too_many_timed_ = timed_.size() >= kMostTimed;
    if (too_many_timed_) std::vector<TimedRequest>().swap(timed_);
  }

  float size_in(std::size_t column) const {
    const double size = number_in(column, "size");
    if (size < 0 || size > 1e9) fail(fmt::format("{:g} is no size", size));
    return static_cast<float>(size);
  }

  // How long a slot is; what waited for that.
  void settle() {
    if (slots_) return;
    slot_s_ = header_->slot_s ? *header_->slot_s : step_s();
    slots_.emplace(slot_s_);
    for (const CountedRow& row : first_rows_) add(row);
    std::vector<CountedRow>().swap(first_rows_);
  }

  double step_s() const {
    std::vector<double> times;
    for (const CountedRow& row : first_rows_) times.push_back(row.at_s);
    std::ranges::sort(times);
    double step = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
      const double distance = times[i] - times[i - 1];
      if (distance > 0 && (step == 0 || distance < step)) step = distance;
    }
    if (step == 0) {
      throw Error(
          fmt::format("{}: one row does not say whether it counts a second or a minute: call the columns "
                      "minute,requests or second,requests",
                      source_));
    }
    if (step > kLongestSlot_s) {
      throw Error(
          fmt::format("{}, line {}: counts per {} say too little of when requests come: give counts per second "
                      "or minute",
                      source_, first_rows_.back().line, format_duration(step)));
    }
    return std::round(step * 1e3) / 1e3;
  }

  LoadTrace finished() {
    LoadTrace trace = slots_->take(header_->requests.has_value());
    trace.warnings = std::move(warnings_);
    if (slot_s_ > 60) {
      trace.warnings.push_back(fmt::format("counts are per {}: bursts within are not seen", format_duration(slot_s_)));
    }
    if (first_ && first_->zone_s) trace.begin_s += *first_->zone_s;
    if (std::ranges::all_of(trace.requests, [](std::uint32_t n) { return n == 0; })) {
      throw Error(fmt::format("{} holds no request", source_));
    }
    keep_times(trace);
    mark_recording_holes(trace);
    return trace;
  }

  // Times in whole seconds say no more than counts do.
  void keep_times(LoadTrace& trace) {
    trace.has_sizes = header_->in || header_->out;
    if (too_many_timed_) {
      trace.has_sizes = false;
      trace.warnings.push_back(fmt::format("more than {} rows: times are drawn within their second{}",
                                           format_count(kMostTimed),
                                           header_->in || header_->out ? ", and sizes are not used" : ""));
    }
    if (!has_fractions_ && !trace.has_sizes) return;
    trace.timed = std::move(timed_);
    std::ranges::stable_sort(trace.timed, {}, &TimedRequest::at_s);
    for (TimedRequest& request : trace.timed) request.at_s -= slots_->begin_s();
  }

  std::string_view source_;
  LoadTraceOptions options_;
  std::optional<TraceHeader> header_;
  char separator_ = ',';
  std::size_t width_ = 0;
  std::size_t line_ = 0;
  std::size_t rows_ = 0;
  double slot_s_ = 1;
  std::optional<double> unit_s_;
  std::optional<TraceTime> first_;
  bool zone_changed_ = false;
  bool has_fractions_ = false;
  bool too_many_timed_ = false;
  std::map<std::string, double, std::less<>> services_;  // with the last time of each
  std::vector<std::string_view> fields_;
  std::vector<CountedRow> first_rows_;
  std::vector<TimedRequest> timed_;
  std::optional<TraceSlots> slots_;
  std::vector<std::string> warnings_;
};

}  // namespace

LoadTrace read_load_trace(std::istream& csv, std::string_view source, const LoadTraceOptions& options) {
  return LoadTraceReader(source, options).read(csv);
}

LoadTrace read_load_trace(const std::filesystem::path& file, const LoadTraceOptions& options) {
  std::ifstream csv(file);
  if (!csv || std::filesystem::is_directory(file)) throw Error(fmt::format("cannot read {}", file.string()));
  return read_load_trace(csv, file.string(), options);
}

}  // namespace stash
