#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "stash/attribute/links.h"
#include "stash/catalog/expected_link.h"
#include "stash/core/units.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/sections.h"
#include "stash/report/links_report.h"

namespace stash {

namespace {

constexpr std::size_t kMostCollectiveRows = 60;  // of a table, and points of a chart
constexpr int kCurvePoints = 24;

// Collectives of one kind and size over all ranks, under the last condition that has any.
struct SizeOfCollective {
  std::int64_t count = 0;
  double total_s = 0;
  double min_s = 0;
  double max_s = 0;
  double mean_s() const { return total_s / static_cast<double>(count); }
};
using Sizes = std::map<std::pair<std::string, std::int64_t>, SizeOfCollective>;

void take(SizeOfCollective& size, const CollectiveSummary& summary) {
  size.min_s = size.count == 0 ? summary.min_s : std::min(size.min_s, summary.min_s);
  size.max_s = std::max(size.max_s, summary.max_s);
  size.count += summary.count;
  size.total_s += summary.total_s;
}

Sizes sizes_of(const Profile& profile) {
  Condition last = Condition::solo;
  for (const CollectiveSummary& summary : profile.collectives) last = std::max(last, summary.condition);
  Sizes sizes;
  for (const CollectiveSummary& summary : profile.collectives) {
    const bool counts = summary.condition == last && summary.count > 0 && summary.bytes > 0 && summary.total_s > 0;
    if (!counts || sizes.size() >= kMostCollectiveRows) continue;
    take(sizes[{summary.op, summary.bytes}], summary);
  }
  return sizes;
}

std::string rate_text(double bytes_per_s) { return format_bytes(bytes_per_s) + "/s"; }

// Nothing of emulated GPUs, of ranks of a node that do not use the links of their GPUs, nor of copies from the host.
std::optional<ExpectedLink> expected_of(const Report& report, const LinkTime& link) {
  const Profile& profile = report.profile;
  const bool in_node = link.scope == "node";
  if (!profile.job.device.is_cuda() || link.scope == "host") return std::nullopt;
  if (in_node && profile.job.backend != "nccl") return std::nullopt;
  return in_node ? report.gpu_link : report.network_link;
}

class Chart {
 public:
  explicit Chart(const Report& report) : report_(report) {}

  void add(const Sizes& sizes) {
    for (const auto& [key, size] : sizes) {
      const auto bytes = static_cast<double>(key.second);
      points_.push_back({bytes, size.mean_s(), "series-1",
                         fmt::format("{} of {} in the job: {} on average, {} calls", key.first, format_bytes(bytes),
                                     format_duration(size.mean_s()), size.count),
                         Whisker{std::max(size.min_s, 1e-9), std::max(size.max_s, 1e-9)}, ""});
    }
  }

  void add(const std::vector<LinkTime>& group) {
    for (const LinkTime& row : group) {
      if (row.bytes <= 0 || !(row.s > 0) || points_.size() >= kMostCollectiveRows) continue;
      points_.push_back({static_cast<double>(row.bytes),
                         row.s,
                         "series-2",
                         fmt::format("{} of {} alone: {}, {}", row.op, format_bytes(static_cast<double>(row.bytes)),
                                     format_duration(row.s), rate_text(bus_bytes_per_s(row))),
                         {},
                         ""});
    }
    if (group.front().op == "allreduce") add_curves(group);
  }

  std::string str() const {
    if (points_.empty()) return "";
    std::vector<LegendEntry> entries{{"series-1", "in the job, smallest to largest"}};
    if (!curves_.empty()) entries.push_back({"series-2", "alone, with its fit"});
    if (has_expected_) entries.push_back({"series-3", "what the link should give"});
    const ChartPlane plane{.label = "Time of a collective against its size",
                           .x_title = "size",
                           .y_title = "time of a call",
                           .x_tick = [](double bytes) { return format_bytes(bytes); },
                           .y_tick = [](double s) { return format_duration(s); },
                           .is_log = true};
    return figure(legend(entries) + scatter_chart(plane, points_, curves_),
                  "Size against time, both logarithmic. In the job a call also waits for the latest rank.");
  }

 private:
  void add_curves(const std::vector<LinkTime>& group) {
    if (const auto fit = fit_link(group)) {
      add_curve("series-2", group, [&](double bytes) { return fit->latency_s + bytes / fit->bytes_per_s; });
    }
    const LinkTime& first = group.front();
    const auto expected = expected_of(report_, first);
    if (!expected || first.ranks < 2) return;
    has_expected_ = true;
    const double sent_ratio = 2.0 * (first.ranks - 1) / first.ranks;  // of an all-reduce's bytes, over a link
    add_curve("series-3 expected", group, [&](double bytes) { return bytes * sent_ratio / expected->bytes_per_s; });
  }

  template <class Time>
  void add_curve(std::string classes, const std::vector<LinkTime>& group, Time time_s) {
    double low = 1e300, high = 0;
    for (const LinkTime& row : group) {
      low = std::min(low, std::max(1.0, static_cast<double>(row.bytes)));
      high = std::max(high, static_cast<double>(row.bytes));
    }
    Curve curve{std::move(classes), {}};
    for (int i = 0; i <= kCurvePoints; ++i) {
      const double bytes = low * std::pow(high / low, static_cast<double>(i) / kCurvePoints);
      curve.points.emplace_back(bytes, time_s(bytes));
    }
    curves_.push_back(std::move(curve));
  }

  const Report& report_;
  std::vector<Point> points_;
  std::vector<Curve> curves_;
  bool has_expected_ = false;
};

std::string job_table(const Sizes& sizes) {
  HtmlTable table("Collectives of the job, over all ranks",
                  {"op", "bytes", "calls", "mean, ms", "least, ms", "most, ms"});
  for (const auto& [key, size] : sizes) {
    const auto bytes = static_cast<double>(key.second);
    table.add({key.first,
               {format_bytes(bytes), bytes},
               {format_count(size.count), static_cast<double>(size.count)},
               number_cell(size.mean_s() * 1e3, 3),
               number_cell(size.min_s * 1e3, 3),
               number_cell(size.max_s * 1e3, 3)});
  }
  return table.empty() ? "" : table.folded();
}

std::string link_table(const Report& report, const std::vector<std::vector<LinkTime>>& groups) {
  HtmlTable table("Links, each kind of call alone",
                  {"where", "op", "latency", "rate of the fit", "best bus rate", "should give"});
  for (std::size_t i = 0; i < std::min(groups.size(), kMostCollectiveRows); ++i) {
    const LinkTime& first = groups[i].front();
    double best = 0;
    for (const LinkTime& row : groups[i]) best = std::max(best, bus_bytes_per_s(row));
    const auto fit = fit_link(groups[i]);
    const auto expected = expected_of(report, first);
    table.add({place_of_link(report.profile, first),
               first.op,
               fit ? Cell{format_duration(fit->latency_s), fit->latency_s} : Cell{"–"},
               fit ? Cell{rate_text(fit->bytes_per_s), fit->bytes_per_s} : Cell{"–"},
               {rate_text(best), best},
               expected ? Cell{fmt::format("{} ({})", rate_text(expected->bytes_per_s), expected->instance),
                               expected->bytes_per_s}
                        : Cell{"not known"}});
  }
  return table.empty() ? "" : table.folded();
}

std::string slow_line(const Profile& profile) {
  const auto slow = find_slow_link(profile);
  if (!slow) return "";
  return paragraph(fmt::format("The link of {} is slow: {} where those of the others carry {}.", slow->host,
                               rate_text(slow->bytes_per_s), rate_text(slow->others_bytes_per_s)));
}

}  // namespace

Section collectives_section(const Report& report) {
  const Sizes sizes = sizes_of(report.profile);
  const auto groups = group_links(report.profile.links);
  Chart chart(report);
  chart.add(sizes);
  for (const auto& group : groups) {
    if (group.front().scope != "host") chart.add(group);
  }
  return {"collectives", "Collectives",
          slow_line(report.profile) + chart.str() + job_table(sizes) + link_table(report, groups)};
}

}  // namespace stash
