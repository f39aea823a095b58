#include "stash/report/openmetrics.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <map>

namespace stash {

namespace {

class Writer {
 public:
  explicit Writer(std::string_view job) : job_(openmetrics_label(job)) {}

  void family(std::string_view name, std::string_view unit, std::string_view help) {
    fmt::format_to(out(), "# TYPE {} counter\n", name);
    if (!unit.empty()) fmt::format_to(out(), "# UNIT {} {}\n", name, unit);
    fmt::format_to(out(), "# HELP {} {}\n", name, help);
    name_ = name;
  }
  void sample(int rank, std::string_view op, double value) {
    const std::string label = op.empty() ? "" : fmt::format(",op=\"{}\"", openmetrics_label(op));
    fmt::format_to(out(), "{}_total{{job=\"{}\",rank=\"{}\"{}}} {}\n", name_, job_, rank, label, value);
  }
  std::string finish() { return std::move(text_) + "# EOF\n"; }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  std::string job_;
  std::string_view name_;
  std::string text_;
};

using OfRank = std::function<double(const WatchedRank&)>;
using OfCollective = std::function<double(const CollectiveSummary&)>;

void write(Writer& writer, std::span<const WatchedRank> ranks, const OfRank& value) {
  for (const WatchedRank& rank : ranks) writer.sample(rank.rank, "", value(rank));
}

void write(Writer& writer, std::span<const WatchedRank> ranks, const OfCollective& value) {
  for (const WatchedRank& rank : ranks) {
    std::map<std::string, double> sums;
    for (const CollectiveSummary& row : rank.collectives) sums[row.op] += value(row);
    for (const auto& [op, sum] : sums) writer.sample(rank.rank, op, sum);
  }
}

}  // namespace

std::string openmetrics_label(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

std::string render_openmetrics(std::span<const WatchedRank> ranks, std::string_view job) {
  Writer writer(job);
  writer.family("stash_steps", "", "Training steps since the first.");
  write(writer, ranks, OfRank([](const WatchedRank& r) { return static_cast<double>(r.steps); }));
  writer.family("stash_step_seconds", "seconds", "Time of those steps.");
  write(writer, ranks, OfRank([](const WatchedRank& r) { return r.step_s; }));
  writer.family("stash_input_wait_seconds", "seconds", "Part of the step time that waits for batches.");
  write(writer, ranks, OfRank([](const WatchedRank& r) { return r.input_wait_s; }));
  writer.family("stash_collectives", "", "Collectives that completed.");
  write(writer, ranks, OfCollective([](const CollectiveSummary& c) { return static_cast<double>(c.count); }));
  writer.family("stash_collective_seconds", "seconds", "From issue to completion, summed; overlaps compute.");
  write(writer, ranks, OfCollective([](const CollectiveSummary& c) { return c.total_s; }));
  writer.family("stash_collective_bytes", "bytes", "Payload of the collectives.");
  write(writer, ranks, OfCollective([](const CollectiveSummary& c) {
          return static_cast<double>(c.bytes) * static_cast<double>(c.count);
        }));
  return writer.finish();
}

}  // namespace stash
