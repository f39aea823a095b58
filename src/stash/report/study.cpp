#include "stash/report/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/core/units.h"
#include "stash/report/cells.h"
#include "stash/report/columns.h"
#include "stash/report/prediction_csv.h"
#include "stash/report/printable.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Row = std::vector<std::string>;

constexpr double kBytesInMB = 1e6;

std::string ms(double s) { return fmt::format("{:.2f}", s * 1e3); }

// Three digits that count, never an exponent.
std::string digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

std::string signed_percent(std::optional<double> ratio) {
  return ratio ? fmt::format("{:+.1f}", *ratio * 100) : std::string(kUnknown);
}

Row coefficient_row(std::string_view name, const Coefficient& coefficient, double unit) {
  return {std::string(name), digits(coefficient.value * unit),
          fmt::format("{} to {}", digits(coefficient.low * unit), digits(coefficient.high * unit))};
}

std::string coefficients(const CommunicationFit& fit) {
  std::vector<Row> rows{
      {"coefficient", "value", "95 % interval"},
      coefficient_row("ms for each collective", fit.latency_s, 1e3),
      coefficient_row("ms for each MB of gradients", fit.s_per_byte, 1e3 * kBytesInMB),
  };
  if (fit.paired_ratio) rows.push_back(coefficient_row("times as fast, two at once", *fit.paired_ratio, 1));
  rows.push_back(coefficient_row("% of the time hidden behind backward, lost", fit.slowdown_ratio, 100));
  return render_columns(rows, std::array<std::size_t, 2>{0, 2});
}

Row case_row(const StudyCase& row, bool unicode) {
  const Observation& o = row.observation;
  return {printable(o.model, unicode),
          fmt::format("{}", o.layers),
          fmt::format("{}", o.buckets.size()),
          format_bytes(o.gradient_bytes),
          ms(overlap_window_s(o)),
          ms(o.step_s),
          fmt::format("{} ± {}", ms(o.stall.s), ms(half_width_s(o.stall))),
          ms(row.predicted_s),
          signed_percent(row.error_ratio()),
          signed_percent(row.step_error_ratio()) + (row.held_out && !row.within_tolerance() ? " !" : "")};
}

std::string cases(const CommunicationStudy& study, bool held_out, const ReportOptions& options) {
  std::vector<Row> rows{{held_out ? "held out" : "fitted", "layers", "collectives", "gradients", "window, ms",
                         "step, ms", "stall, ms", "predicted", "error, %", "% of step"}};
  for (const StudyCase& row : study.cases) {
    if (row.held_out == held_out) rows.push_back(case_row(row, options.unicode));
  }
  return rows.size() == 1 ? "" : fmt::format("\n{}", render_columns(rows, std::array<std::size_t, 1>{0}));
}

struct HeldOut {
  int all = 0;
  int within = 0;
};

// By the tolerance of the study, for whatever predicts.
template <class Predict>
HeldOut count_held_out(const CommunicationStudy& study, Predict predict_s) {
  HeldOut count;
  for (StudyCase row : study.cases) {
    if (!row.held_out) continue;
    row.predicted_s = predict_s(row);
    ++count.all;
    count.within += row.within_tolerance();
  }
  return count;
}

std::string r_squared_text(std::optional<double> value) {
  return value ? fmt::format("R² {:.3f}", *value) : std::string("R² unknown");
}

template <class Predict>
Row line_row(const CommunicationStudy& study, std::string_view name, const LineFit& line, double unit, Predict x_of) {
  const HeldOut held_out = count_held_out(study, [&](const StudyCase& row) { return line.at(x_of(row.observation)); });
  return {fmt::format("stall = {} ms {} {} ms per {}", digits(line.intercept * 1e3), line.slope < 0 ? "-" : "+",
                      digits(std::abs(line.slope) * 1e3 * unit), name),
          r_squared_text(line.r_squared), fmt::format("held out: {} of {}", held_out.within, held_out.all)};
}

std::string lines(const CommunicationStudy& study) {
  std::vector<Row> rows;
  if (study.by_layers) {
    rows.push_back(line_row(study, "layer", *study.by_layers, 1, [](const Observation& o) { return o.layers; }));
  }
  if (study.by_bytes) {
    rows.push_back(
        line_row(study, "MB", *study.by_bytes, kBytesInMB, [](const Observation& o) { return o.gradient_bytes; }));
  }
  if (rows.empty()) return "";
  return fmt::format("\nfor comparison, a plain line through the fitted models\n{}",
                     render_columns(rows, std::array<std::size_t, 3>{0, 1, 2}));
}

std::string failures(const CommunicationStudy& study, bool unicode) {
  std::string text = study.failures.empty() ? "" : "\nnot used\n";
  for (const StudyFailure& failure : study.failures) {
    text += fmt::format("  {}: {}\n", printable(failure.model, unicode), printable(failure.why, unicode));
  }
  return text;
}

}  // namespace

std::string study_setting(const CommunicationStudy& study) {
  const Job& job = study.job;
  const std::string emulated = emulated_name(job);
  const auto fitted = std::ranges::count(study.cases, false, &StudyCase::held_out);
  const std::string injected = job.inject.empty() ? "" : ", injected: " + to_string(job.inject);
  const auto meant = static_cast<std::ptrdiff_t>(count_meant(study));
  const std::string models = fitted == meant ? fmt::format("{}", fitted) : fmt::format("{} of {}", fitted, meant);
  return fmt::format("{} ranks on {} {}, {} ({}, {}), buckets of {}{}; {} models fitted, {}", job.ranks, study.nodes,
                     study.nodes == 1 ? "node" : "nodes", emulated.empty() ? job.device.text() : emulated, job.backend,
                     job.dtype, format_bytes(static_cast<double>(job.bucket_bytes)), injected, models,
                     r_squared_text(study.fit.r_squared));
}

std::string study_verdict(const CommunicationStudy& study) {
  const std::string costs =
      fmt::format("communication takes {} ms for each collective and {} ms for each MB of gradients",
                  digits(study.fit.latency_s.value * 1e3), digits(study.fit.s_per_byte.value * 1e3 * kBytesInMB));
  const HeldOut held_out = count_held_out(study, [](const StudyCase& row) { return row.predicted_s; });
  if (held_out.all == 0) return costs + "; no model was held out";
  return fmt::format("{}; it predicts the stall of {} of {} held-out models within 10 % or 2 points of the step", costs,
                     held_out.within, held_out.all);
}

std::string render_study_text(const CommunicationStudy& study, const ReportOptions& options) {
  const std::string emulated = emulated_name(study.job);
  const std::string text = (emulated.empty() ? "" : emulated + ": ") + study_verdict(study) + "\n" +
                           study_setting(study) + "\n\n" + coefficients(study.fit) + cases(study, false, options) +
                           cases(study, true, options) + lines(study) + failures(study, options.unicode);
  return (options.unicode ? text : to_ascii(text)) + render_study_plot(study, options);
}

std::string render_study_csv(const CommunicationStudy& study) {
  std::string csv =
      "model,batch,held_out,layers,collectives,gradient_bytes,backward_s,window_s,step_s,stall_s,stall_low_s,"
      "stall_high_s,predicted_s,error_ratio,step_error_ratio,within_tolerance\n";
  for (const StudyCase& row : study.cases) {
    const Observation& o = row.observation;
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(o.model), o.batch, row.held_out,
                       o.layers, o.buckets.size(), csv_number(o.gradient_bytes), csv_number(o.backward_s),
                       csv_number(overlap_window_s(o)), csv_number(o.step_s), csv_number(o.stall.s),
                       csv_number(o.stall.low_s), csv_number(o.stall.high_s), csv_number(row.predicted_s),
                       csv_number(row.error_ratio()), csv_number(row.step_error_ratio()), row.within_tolerance());
  }
  return csv;
}

}  // namespace stash
