#include "stash/report/serve_bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/core/units.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"
#include "stash/serve/bench/bench_json.h"

namespace stash {
namespace {

// A part below this share of the latency is not worth advice.
constexpr double kWorthAdviceRatio = 0.1;

const std::optional<BenchPart>& part_of(const ServeBench& bench, RequestPart part) {
  return bench.parts[static_cast<std::size_t>(part)];
}

double ratio_of(const ServeBench& bench, double s) { return bench.mean_s > 0 ? s / bench.mean_s : 0; }

std::vector<RequestPart> by_size(const ServeBench& bench) {
  std::vector<RequestPart> found;
  for (const RequestPart part : every(RequestPart{})) {
    if (part_of(bench, part)) found.push_back(part);
  }
  std::ranges::sort(found, std::ranges::greater{}, [&](RequestPart part) { return part_of(bench, part)->s; });
  return found;
}

std::string duration_range(const std::optional<double>& low_s, const std::optional<double>& high_s) {
  if (!low_s || !high_s) return "too few rounds for an interval";
  const auto shown = [](double s) { return s < 0 ? "-" + format_duration(-s) : format_duration(s); };
  return fmt::format("{} to {}", shown(*low_s), shown(*high_s));
}

std::string signed_time(double s) { return s < 0 ? "-" + format_duration(-s) : format_duration(s); }

std::string ratio_text(double ratio) { return fmt::format("{:.1f} %", 100 * ratio); }

std::vector<std::vector<std::string>> part_rows(const ServeBench& bench) {
  std::vector<std::vector<std::string>> rows{
      {"part", "mean", "share", "p50", "p90", "p99", "95 % interval of the mean"}};
  for (const RequestPart part : every(RequestPart{})) {
    const std::optional<BenchPart>& one = part_of(bench, part);
    if (!one) continue;
    rows.push_back({part_label(part), format_duration(one->s), ratio_text(ratio_of(bench, one->s)),
                    format_duration(one->p50_s), format_duration(one->p90_s), format_duration(one->p99_s),
                    duration_range(one->low_s, one->high_s)});
  }
  rows.push_back(
      {"latency", format_duration(bench.mean_s), "", format_duration(bench.p50_s), format_duration(bench.p99_s), ""});
  return rows;
}

std::vector<std::vector<std::string>> primitive_rows(const ServeBench& bench) {
  std::vector<std::vector<std::string>> rows{{"switch", "setting", "instead of", "saves", "95 % interval"}};
  for (const BenchPrimitive& one : bench.primitives) {
    rows.push_back({printable(one.name), printable(one.setting), printable(one.against),
                    one.saves_s ? signed_time(*one.saves_s) : "–",
                    one.saves_s ? duration_range(one.low_s, one.high_s) : "not measured here"});
  }
  return rows;
}

std::vector<std::vector<std::string>> batch_rows(const ServeBench& bench) {
  std::vector<std::vector<std::string>> rows{{"batch", "time", "samples per second"}};
  for (const BatchTime& one : bench.batches) {
    rows.push_back({std::to_string(one.batch), format_duration(one.s),
                    one.s > 0 ? fmt::format("{:.0f}", one.batch / one.s) : "–"});
  }
  return rows;
}

std::string_view advice_for(RequestPart part) {
  switch (part) {
    case RequestPart::receive:
      return "requests come late or slowly: look at the client and the network between";
    case RequestPart::queue:
      return "requests wait for the device: send less to it, or take a faster one or a second one";
    case RequestPart::batch_wait:
      return "requests wait for others though the device is free: --batching objective, or a shorter --batch-timeout";
    case RequestPart::reload:
      return "requests wait for a model that is loaded again: --reload swap";
    case RequestPart::gather:
      return "gathering takes long: --input direct";
    case RequestPart::copy_in:
    case RequestPart::copy_out:
      return "copies take long: pinned memory and asynchronous copies";
    case RequestPart::launch:
      return "launching takes long: graphs";
    case RequestPart::notify:
      return "the end of a batch is noticed late: --completion event, and a core that is free for the server";
    case RequestPart::respond:
      return "answers go out slowly: smaller outputs, tensors as bytes instead of JSON, or a faster network";
    case RequestPart::compute:
      break;
  }
  return "the device's own work is most of it: a faster device, half precision, or a smaller model";
}

}  // namespace

std::string part_label(RequestPart part) {
  std::string text(to_string(part));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string bench_verdict(const ServeBench& bench) {
  const std::string what = printable(bench.platform);
  if (!bench.why_rejected.empty()) return fmt::format("{}: rejected: {}", what, printable(bench.why_rejected));
  if (bench.requests == 0) return fmt::format("{}: no request was answered", what);
  std::string text = fmt::format("{}: a request takes {}", what, format_duration(bench.mean_s));
  const std::vector<RequestPart> parts = by_size(bench);
  for (std::size_t i = 0; i < std::min<std::size_t>(2, parts.size()); ++i) {
    const double ratio = ratio_of(bench, part_of(bench, parts[i])->s);
    text += fmt::format("{} {:.0f} % {}", i == 0 ? ";" : ",", 100 * ratio, part_label(parts[i]));
  }
  return text;
}

std::string bench_advice(const ServeBench& bench) {
  const std::vector<RequestPart> parts = by_size(bench);
  for (const RequestPart part : parts) {
    if (part == RequestPart::compute) continue;
    if (ratio_of(bench, part_of(bench, part)->s) < kWorthAdviceRatio) break;
    return fmt::format("first: {}", advice_for(part));
  }
  return parts.empty() ? "" : fmt::format("first: {}", advice_for(RequestPart::compute));
}

std::optional<double> usd_per_million(const ServeBench& bench, double usd_per_hour) {
  if (!(bench.throughput_per_s > 0)) return std::nullopt;
  return usd_per_hour / (bench.throughput_per_s * kSecondsPerHour) * 1e6;
}

std::vector<std::string> bench_lines(const ServeBench& bench, std::optional<double> usd_per_hour) {
  std::vector<std::string> lines;
  if (const std::string advice = bench_advice(bench); !advice.empty()) lines.push_back(advice);
  lines.push_back(fmt::format("{:.4g} requests per second sent, {:.4g} answered; {} rounds of windows of {}",
                              bench.rate_per_s, bench.throughput_per_s, bench.rounds, format_duration(bench.window_s)));
  lines.push_back(fmt::format("settings: {}", printable(bench.settings)));
  if (bench.mean_batch)
    lines.push_back(fmt::format("a request shares its batch with {:.1f} others", std::max(0.0, *bench.mean_batch - 1)));
  if (bench.objective_s && bench.within_objective_ratio) {
    lines.push_back(fmt::format("{} of the requests within the objective of {}; {} refused",
                                ratio_text(*bench.within_objective_ratio), format_duration(*bench.objective_s),
                                ratio_text(bench.refused_ratio.value_or(0))));
  }
  const std::optional<double> usd = usd_per_hour ? usd_per_million(bench, *usd_per_hour) : std::nullopt;
  if (usd) lines.push_back(fmt::format("${:.2f} per million requests at this rate", *usd));
  return lines;
}

std::string serve_bench_text(const ServeBench& bench, std::optional<double> usd_per_hour,
                             const ReportOptions& options) {
  std::string text = bench_verdict(bench) + "\n\n";
  for (const std::string& line : bench_lines(bench, usd_per_hour)) text += line + "\n";
  text += "\n" + render_columns(part_rows(bench), std::vector<std::size_t>{0, 6});
  text += "\n" + render_columns(primitive_rows(bench), std::vector<std::size_t>{0, 1, 2, 4});
  text += "\n" + render_columns(batch_rows(bench), {});
  text += fmt::format("\nLatency counts from the planned time. Of 100 requests 99 were sent within {} of it.\n",
                      format_duration(bench.client_late_s));
  return options.unicode ? text : to_ascii(text);
}

std::string serve_bench_json(const ServeBench& bench, std::optional<double> usd_per_hour) {
  nlohmann::ordered_json json = bench_json(bench);
  const std::optional<double> usd = usd_per_hour ? usd_per_million(bench, *usd_per_hour) : std::nullopt;
  if (usd) json["usd_per_million"] = *usd;
  return json.dump(1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string serve_bench_csv(const ServeBench& bench) {
  const auto cell = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  std::string text = "part,s,low_s,high_s,p50_s,p90_s,p99_s\n";
  for (const RequestPart part : every(RequestPart{})) {
    const std::optional<BenchPart>& one = part_of(bench, part);
    if (!one) continue;
    text += fmt::format("{},{},{},{},{},{}\n", to_string(part), one->s, cell(one->low_s), cell(one->high_s), one->p50_s,
                        one->p99_s);
  }
  return text + fmt::format("latency,{},,,{},{},{}\n", bench.mean_s, bench.p50_s, bench.p90_s, bench.p99_s);
}

}  // namespace stash
