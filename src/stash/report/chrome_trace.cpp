#include "stash/report/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/report/printable.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;
using Spans = std::vector<const Span*>;

constexpr std::size_t kFrameBytes = 10'000;  // for what is not an event
constexpr std::size_t kNameLimit = 80;       // characters of a name from others
constexpr std::size_t kMostLanes = 64;       // of collectives side by side: more than a screen shows

std::string dump(const Json& json) { return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace); }

Spans pick(const std::vector<Span>& spans, bool collectives) {
  Spans picked;
  for (const Span& span : spans) {
    if ((span.kind == SpanKind::collective) == collectives) picked.push_back(&span);
  }
  return picked;
}

// Spans of one thread must nest. Collectives overlap as they like: each goes to the first lane that is free.
std::vector<Spans> lanes_of(Spans spans, std::int64_t& left_out) {
  std::stable_sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) { return a->start_us < b->start_us; });
  std::vector<Spans> lanes;
  for (const Span* span : spans) {
    const auto free = std::find_if(lanes.begin(), lanes.end(), [&](const Spans& lane) {
      return lane.back()->start_us + lane.back()->length_us <= span->start_us;
    });
    if (free != lanes.end()) {
      free->push_back(span);
    } else if (lanes.size() < kMostLanes) {
      lanes.push_back({span});
    } else {
      ++left_out;
    }
  }
  return lanes;
}

// When each step starts on the host.
std::vector<std::int64_t> step_starts(const RankTrace& trace) {
  std::vector<std::int64_t> starts_us;
  for (const Span& span : trace.host) {
    if (span.kind == SpanKind::step) starts_us.push_back(span.start_us);
  }
  return starts_us;
}

class TraceWriter {
 public:
  TraceWriter(const Profile& profile, const Ledger& ledger) : profile_(profile), ledger_(ledger) {
    std::size_t ranks = 0;
    for (const WindowTrace& window : profile.traces) ranks += 1 + window.ranks.size();
    share_bytes_ = (kTraceFileBytes - kFrameBytes) / std::max<std::size_t>(ranks, 1);
  }

  std::string render() {
    std::vector<const WindowTrace*> windows;
    for (const WindowTrace& window : profile_.traces) windows.push_back(&window);
    std::stable_sort(windows.begin(), windows.end(),
                     [](const WindowTrace* a, const WindowTrace* b) { return a->condition < b->condition; });
    for (const WindowTrace* window : windows) add_window(*window);
    return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[{}\n]}}\n", dump(other_data()),
                       events_);
  }

 private:
  // A rank, or a condition's name, has an equal share of the file: none is shown at the cost of another.
  void begin_share() {
    share_end_ = events_.size() + share_bytes_;
    full_ = false;
  }

  // What comes after the first event that does not fit is left out too.
  void add(const Json& event) {
    const std::string text = dump(event);
    const std::string_view separator = events_.empty() ? "\n" : ",\n";
    full_ = full_ || events_.size() + separator.size() + text.size() > share_end_;
    if (!full_) events_.append(separator).append(text);
  }

  void name(const char* what, int thread, const Json& args) {
    add({{"ph", "M"}, {"pid", process_}, {"tid", thread}, {"ts", 0}, {"name", what}, {"args", args}});
  }

  void add_window(const WindowTrace& window) {
    ++process_;
    begin_share();
    name("process_name", 0, {{"name", title(window)}});
    name("process_labels", 0, {{"labels", fmt::format("window of round {}", window.round + 1)}});
    name("process_sort_index", 0, {{"sort_index", process_}});
    for (const RankTrace& rank : window.ranks) {
      begin_share();
      add_rank(rank);
      left_out_measuring_ += rank.left_out;
    }
  }

  std::string title(const WindowTrace& window) const {
    std::string text(to_string(window.condition));
    const auto step = ledger_.step_by_condition.find(window.condition);
    if (step != ledger_.step_by_condition.end()) text += fmt::format(": {} per step", format_duration(step->second.s));
    const std::string emulated = emulated_name(profile_.job);
    return emulated.empty() ? text : fmt::format("{} ({})", text, printable(emulated, true, kNameLimit));
  }

  void add_rank(const RankTrace& rank) {
    std::string who = fmt::format("rank {}", rank.rank);
    if (count_nodes(profile_.places) > 1) {
      who += fmt::format(" on {}", printable(host_of(profile_, rank.rank), true, kNameLimit));
    }
    const std::vector<std::int64_t> starts_us = step_starts(rank);
    add_lane(who + " host", pick(rank.host, false), starts_us);
    add_lane(who + " device", pick(rank.device, false), {});
    add_collectives(who + " collectives, host", rank.host, starts_us);
    add_collectives(who + " collectives, device", rank.device, {});
  }

  void add_collectives(const std::string& title, const std::vector<Span>& spans,
                       const std::vector<std::int64_t>& starts_us) {
    const std::vector<Spans> lanes = lanes_of(pick(spans, true), left_out_writing_);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      add_lane(i == 0 ? title : fmt::format("{} ({})", title, i + 1), lanes[i], starts_us);
    }
  }

  void add_lane(const std::string& title, const Spans& spans, const std::vector<std::int64_t>& starts_us) {
    if (spans.empty()) return;
    ++thread_;
    name("thread_name", thread_, {{"name", title}});
    name("thread_sort_index", thread_, {{"sort_index", thread_}});
    for (const Span* span : spans) {
      if (!full_) add(event(*span, starts_us));
      left_out_writing_ += full_;
    }
  }

  Json event(const Span& span, const std::vector<std::int64_t>& starts_us) const {
    const bool collective = span.kind == SpanKind::collective;
    Json args = Json::object();
    const auto after = std::upper_bound(starts_us.begin(), starts_us.end(), span.start_us);
    if (after != starts_us.begin()) args["step"] = after - starts_us.begin();
    if (collective) args["bytes"] = span.bytes;
    if (!span.group.empty()) args["group"] = printable(span.group, true, kNameLimit);
    return {{"ph", "X"},
            {"pid", process_},
            {"tid", thread_},
            {"ts", span.start_us},
            {"dur", span.length_us},
            {"cat", to_string(span.kind)},
            {"name", collective ? printable(span.op, true, kNameLimit) : std::string(to_string(span.kind))},
            {"args", std::move(args)}};
  }

  Json other_data() const {
    Json data{{"tool", "stash " + version_text()},
              {"job", printable(job_name(profile_.job), true, kNameLimit)},
              {"device", printable(profile_.job.device.text(), true, kNameLimit)}};
    if (profile_.clocks_s) data["clocks_differ_by_at_most"] = format_duration(*profile_.clocks_s);
    if (left_out_measuring_ > 0) data["spans_left_out_while_measuring"] = left_out_measuring_;
    if (left_out_writing_ > 0) data["spans_left_out_of_this_file"] = left_out_writing_;
    return data;
  }

  const Profile& profile_;
  const Ledger& ledger_;
  std::string events_;
  std::size_t share_bytes_ = 0;
  std::size_t share_end_ = 0;
  bool full_ = false;  // the share
  int process_ = 0;
  int thread_ = 1000;  // apart from the processes' numbers, which viewers take for those of main threads
  std::int64_t left_out_measuring_ = 0;
  std::int64_t left_out_writing_ = 0;
};

}  // namespace

std::string render_trace(const Report& report) {
  if (report.profile.traces.empty()) {
    throw Error(
        "the profile has no trace: it was made by an older Stash; measure the job anew, then ask for its trace");
  }
  return TraceWriter(report.profile, report.ledger).render();
}

}  // namespace stash
