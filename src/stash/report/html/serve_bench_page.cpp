#include "stash/report/html/serve_bench_page.h"

#include <fmt/format.h>

#include "stash/core/units.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/serve_bench_report.h"

namespace stash {
namespace {

std::optional<double> in_ms(const std::optional<double>& s) { return s ? std::optional(*s * 1e3) : std::nullopt; }

std::optional<Whisker> whisker(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high ? std::optional(Whisker{*low, *high}) : std::nullopt;
}

std::string parts_body(const ServeBench& bench) {
  std::vector<BarRow> bars;
  HtmlTable table("Milliseconds of a request by part",
                  {"part", "mean", "from", "to", "p50", "p90", "p99", "% of the mean"});
  for (const RequestPart part : every(RequestPart{})) {
    const std::optional<BenchPart>& one = bench.parts[static_cast<std::size_t>(part)];
    if (!one) continue;
    const double percent = bench.mean_s > 0 ? one->s / bench.mean_s * 100 : 0;
    bars.push_back({.label = part_label(part),
                    .figures = format_duration(one->s),
                    .segments = {{one->s, "series-1", fmt::format("{:.1f} %", percent)}},
                    .interval = whisker(one->low_s, one->high_s)});
    table.add({part_label(part), number_cell(one->s * 1e3, 3), number_cell(in_ms(one->low_s), 3),
               number_cell(in_ms(one->high_s), 3), number_cell(one->p50_s * 1e3, 3), number_cell(one->p90_s * 1e3, 3),
               number_cell(one->p99_s * 1e3, 3), number_cell(percent, 1)});
  }
  table.add({"latency", number_cell(bench.mean_s * 1e3, 3), number_cell({}, 3), number_cell({}, 3),
             number_cell(bench.p50_s * 1e3, 3), number_cell(bench.p90_s * 1e3, 3), number_cell(bench.p99_s * 1e3, 3),
             number_cell(100, 1)},
            "total");
  return figure(bar_chart("Parts of a request", bars, tick_ms),
                "Mean of each part, with its 95 % interval. The parts add up to the mean latency.") +
         table.str();
}

std::string switches_body(const ServeBench& bench) {
  std::vector<BarRow> bars;
  HtmlTable table("What each switch saves of the mean latency, in milliseconds",
                  {"switch", "setting", "instead of", "saves", "from", "to"});
  for (const BenchPrimitive& one : bench.primitives) {
    table.add({one.name, one.setting, one.against, number_cell(in_ms(one.saves_s), 3), number_cell(in_ms(one.low_s), 3),
               number_cell(in_ms(one.high_s), 3)});
    if (!one.saves_s) continue;
    bars.push_back({.label = fmt::format("{}: {}", one.name, one.against),
                    .figures = fmt::format("{:.3f} ms", *one.saves_s * 1e3),
                    .segments = {{*one.saves_s, "series-2", "saved by " + one.setting}},
                    .interval = whisker(one.low_s, one.high_s)});
  }
  return figure(bar_chart("What each switch saves", bars, tick_ms),
                "Mean latency with the plain setting less that with the better one, from windows that alternate under "
                "one load. Rows without figures were not measured here: they need a GPU, or --device emulated.") +
         table.str();
}

std::string batches_body(const ServeBench& bench) {
  HtmlTable table("Time of a batch", {"batch", "ms", "samples per second"});
  for (const BatchTime& one : bench.batches) {
    table.add({std::to_string(one.batch), number_cell(one.s * 1e3, 3),
               number_cell(one.s > 0 ? std::optional(one.batch / one.s) : std::nullopt, 0)});
  }
  return table.str();
}

}  // namespace

std::string render_serve_bench_html(const ServeBench& bench, std::optional<double> usd_per_hour) {
  const bool emulated = bench.platform.find("emulated") != std::string::npos;
  const PageHead head{
      .title = fmt::format("stash: serving {}", bench.model),
      .verdict = bench_verdict(bench),
      .lines = bench_lines(bench, usd_per_hour),
      .alerts = {emulated ? "The accelerator was emulated: its times are estimates, everything else is real." : ""}};
  return html_page(head, {{"parts", "Where a request's time goes", parts_body(bench)},
                          {"switches", "What the switches save", switches_body(bench)},
                          {"batches", "Time of a batch", batches_body(bench)}});
}

}  // namespace stash
