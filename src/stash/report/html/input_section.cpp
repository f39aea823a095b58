#include <fmt/format.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/part_colors.h"
#include "stash/report/html/sections.h"

namespace stash {

namespace {

constexpr std::size_t kMostInputPoints = 120;

InputCounters sum_of(const std::vector<InputCounters>& ranks) {
  InputCounters sum;
  for (const InputCounters& rank : ranks) {
    sum.samples += rank.samples;
    sum.read_s += rank.read_s;
    sum.decode_s += rank.decode_s;
    sum.augment_s += rank.augment_s;
  }
  return sum;
}

std::string work_chart(const Profile& profile) {
  const InputCounters sum = sum_of(profile.inputs);
  if (sum.samples <= 0) return "";
  const auto row = [&](std::string name, double s, std::string classes) {
    const double each_s = s / static_cast<double>(sum.samples);
    const std::string figures = format_duration(each_s) + " per sample";
    return BarRow{name, figures, {{each_s, std::move(classes), name + ": " + figures}}, {}};
  };
  const std::vector<BarRow> rows{row("read", sum.read_s, "part-fetch"), row("decode", sum.decode_s, "part-prep"),
                                 row("augment", sum.augment_s, "part-copy")};
  return figure(bar_chart("Time of a sample in a worker", rows, [](double s) { return format_duration(s); }),
                fmt::format("What a sample costs one of the {} workers of a rank, mean over {} samples.",
                            profile.job.workers, format_count(sum.samples)));
}

// What a number of the windows was, round after round.
template <class Value>
std::vector<Point> over_rounds(const Profile& profile, std::string_view what, Value value) {
  std::vector<Point> points;
  for (const Window& window : profile.windows) {
    const std::optional<double> found = value(window);
    if (!found || points.size() >= kMostInputPoints) continue;
    points.push_back(
        {static_cast<double>(window.round + 1),
         *found,
         window.condition == Condition::cold ? "series-1" : "series-2",
         fmt::format("{}, round {}: {:.4g} {}", to_string(window.condition), window.round + 1, *found, what),
         {},
         ""});
  }
  return points;
}

std::string rounds_chart(std::string label, std::string y_title, const std::vector<Point>& points,
                         std::string caption) {
  if (points.empty()) return "";
  const std::vector<LegendEntry> entries{{"series-1", "cold"}, {"series-2", "hot"}};
  const auto plain = [](double value) { return fmt::format("{:g}", value); };
  const ChartPlane plane{.label = std::move(label),
                         .x_title = "round",
                         .y_title = std::move(y_title),
                         .x_tick = plain,
                         .y_tick = plain,
                         .y_from_zero = true,
                         .height = 140};
  return figure(legend(entries) + scatter_chart(plane, points, {}), caption);
}

std::string queue_chart(const Profile& profile) {
  return rounds_chart(
      "Samples ready when a window ended", "samples ready",
      over_rounds(profile, "samples ready at the end", [](const Window& window) { return window.queued_end_samples; }),
      "Samples that were ready and waiting on rank 0 when a window ended: near 0 the workers do not "
      "keep up.");
}

std::string residency_chart(const Profile& profile) {
  return rounds_chart("Share of the files' pages that was cached before a window", "% cached",
                      over_rounds(profile, "% cached",
                                  [](const Window& window) {
                                    return window.resident_ratio ? std::optional(*window.resident_ratio * 100)
                                                                 : std::nullopt;
                                  }),
                      "The share of the pages about to be read that the page cache held, as found before each window.");
}

std::string counters_table(const Profile& profile) {
  HtmlTable table(
      "What the input pipelines did in all input windows",
      {"rank", "samples", "read", "of it not cached", "reading, s", "decoding, s", "augmenting, s", "skipped"});
  const auto count = [](std::int64_t n) { return Cell{format_count(n), static_cast<double>(n)}; };
  const auto bytes = [](std::int64_t n) { return Cell{format_bytes(static_cast<double>(n)), static_cast<double>(n)}; };
  for (std::size_t i = 0; i < std::min(profile.inputs.size(), kMostRankRows); ++i) {
    const InputCounters& rank = profile.inputs[i];
    table.add({fmt::format("{}", rank.rank), count(rank.samples), bytes(rank.read_bytes), bytes(rank.cold_bytes),
               number_cell(rank.read_s, 3), number_cell(rank.decode_s, 3), number_cell(rank.augment_s, 3),
               count(rank.skipped)});
  }
  return table.empty() ? "" : table.folded();
}

std::string windows_table(const Profile& profile) {
  HtmlTable table("Queue and cache, window by window",
                  {"round", "condition", "ready at the start", "ready at the end", "% cached before"});
  for (std::size_t i = 0, shown = 0; i < profile.windows.size() && shown < kMostInputPoints; ++i) {
    const Window& window = profile.windows[i];
    if (!window.queued_end_samples && !window.resident_ratio) continue;
    ++shown;
    table.add({fmt::format("{}", window.round + 1), std::string(to_string(window.condition)),
               number_cell(window.queued_start_samples, 0), number_cell(window.queued_end_samples, 0),
               number_cell(window.resident_ratio ? std::optional(*window.resident_ratio * 100) : std::nullopt, 1)});
  }
  return table.empty() ? "" : table.folded();
}

}  // namespace

Section input_section(const Report& report) {
  const Profile& profile = report.profile;
  return {"input", "Input",
          work_chart(profile) + queue_chart(profile) + residency_chart(profile) + counters_table(profile) +
              windows_table(profile)};
}

}  // namespace stash
