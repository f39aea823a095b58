#include "stash/report/html/study_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/lines.h"
#include "stash/report/study.h"

namespace stash {

namespace {

std::string class_of(const StudyCase& one) { return one.held_out ? "series-2" : "series-1"; }

std::string tip_of(const StudyCase& one) {
  return fmt::format("{}: measured {:.2f} ms ({:.2f} to {:.2f}), predicted {:.2f} ms", one.observation.model,
                     one.observation.stall.s * 1e3, one.observation.stall.low_s * 1e3,
                     one.observation.stall.high_s * 1e3, one.predicted_s * 1e3);
}

const std::vector<LegendEntry> kFittedAndHeldOut{{"series-1", "fitted"}, {"series-2", "held out"}};

std::string predicted_chart(const CommunicationStudy& study) {
  std::vector<Point> points;
  double most = 0;
  for (const StudyCase& one : study.cases) {
    points.push_back({one.observation.stall.s, one.predicted_s, class_of(one), tip_of(one), {}, one.observation.model});
    most = std::max({most, one.observation.stall.s, one.predicted_s});
  }
  const Curve diagonal{"series-quiet", {{0, 0}, {most, most}}};
  const ChartPlane plane{.label = "Predicted against measured stall",
                         .x_title = "measured stall",
                         .y_title = "predicted stall",
                         .x_tick = tick_ms,
                         .y_tick = tick_ms,
                         .height = 340};
  return figure(legend(kFittedAndHeldOut) + scatter_chart(plane, points, std::span(&diagonal, 1)),
                "Predicted against measured communication stall of a step; on the line they are the same.");
}

// The stall against one property of the models, with the line of the Stash study.
std::string line_chart(const CommunicationStudy& study, std::string name, const TickText& tick,
                       const std::optional<LineFit>& line, double (*value)(const Observation&)) {
  std::vector<Point> points;
  double low = 1e300, high = 0;
  for (const StudyCase& one : study.cases) {
    const double x = value(one.observation);
    low = std::min(low, x);
    high = std::max(high, x);
    points.push_back({x, one.observation.stall.s, class_of(one), tip_of(one),
                      Whisker{one.observation.stall.low_s, one.observation.stall.high_s}, ""});
  }
  std::vector<Curve> curves;
  if (line) curves.push_back({"series-quiet", {{low, line->at(low)}, {high, line->at(high)}}});
  const ChartPlane plane{.label = "Stall against " + name,
                         .x_title = name,
                         .y_title = "stall",
                         .x_tick = tick,
                         .y_tick = tick_ms,
                         .y_from_zero = true,
                         .height = 200};
  const std::string fit =
      line && line->r_squared ? fmt::format("; the straight line has R² {:.3f}", *line->r_squared) : "";
  return figure(scatter_chart(plane, points, curves), fmt::format("Stall of a step against {}{}.", name, fit));
}

std::string coefficients_table(const CommunicationFit& fit) {
  HtmlTable table(fit.r_squared ? fmt::format("Coefficients with 95 % intervals; R² {:.4f}", *fit.r_squared)
                                : "Coefficients with 95 % intervals",
                  {"coefficient", "value", "from", "to", "unit"});
  const auto add = [&](const char* name, const Coefficient& one, double factor, const char* unit) {
    const auto cell = [&](double value) { return Cell{fmt::format("{:.4g}", value * factor), value * factor}; };
    table.add({name, cell(one.value), cell(one.low), cell(one.high), unit});
  };
  add("latency of a collective", fit.latency_s, 1e6, "µs");
  add("time of gradients", fit.s_per_byte, 1e9, "s per GB");
  add("backward pass slowed by what is hidden", fit.slowdown_ratio, 1, "of that time");
  if (fit.paired_ratio) add("rate of two in flight", *fit.paired_ratio, 1, "of one alone");
  return table.str();
}

std::string case_table(const CommunicationStudy& study) {
  HtmlTable table("Models: measured and predicted stall, ms per step",
                  {"model", "layers", "gradients", "collectives", "step", "stall", "from", "to", "predicted", "off",
                   "% of the step", ""});
  for (const StudyCase& one : study.cases) {
    const Observation& seen = one.observation;
    table.add({seen.model,
               number_cell(seen.layers, 0),
               {format_bytes(seen.gradient_bytes), seen.gradient_bytes},
               number_cell(static_cast<double>(seen.buckets.size()), 0),
               number_cell(seen.step_s * 1e3, 2),
               number_cell(seen.stall.s * 1e3, 2),
               number_cell(seen.stall.low_s * 1e3, 2),
               number_cell(seen.stall.high_s * 1e3, 2),
               number_cell(one.predicted_s * 1e3, 2),
               number_cell(one.error_s() * 1e3, 2),
               number_cell(one.step_error_ratio() * 100, 1),
               one.held_out ? "held out" : ""});
  }
  return table.str();
}

Section failures_section(const CommunicationStudy& study) {
  HtmlTable table("Models that could not be used", {"model", "why"});
  for (const StudyFailure& failure : study.failures) table.add({failure.model, failure.why});
  return {"failures", "Failures", table.empty() ? "" : table.str()};
}

}  // namespace

std::string render_study_html(const CommunicationStudy& study) {
  const PageHead head{.title = "stash: study",
                      .verdict = study_verdict(study),
                      .lines = {study_setting(study)},
                      .alerts = {emulated_line("This was", study.job)}};
  const std::string drivers = line_chart(
                                  study, "layers", [](double n) { return fmt::format("{:g}", n); }, study.by_layers,
                                  [](const Observation& seen) { return static_cast<double>(seen.layers); }) +
                              line_chart(
                                  study, "gradient bytes", [](double bytes) { return format_bytes(bytes); },
                                  study.by_bytes, [](const Observation& seen) { return seen.gradient_bytes; });
  return html_page(head, {{"model", "The model", predicted_chart(study) + coefficients_table(study.fit)},
                          {"models", "Measured and predicted", case_table(study)},
                          {"drivers", "What drives the stall", drivers},
                          failures_section(study)});
}

}  // namespace stash
