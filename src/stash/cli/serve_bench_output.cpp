#include "stash/cli/serve_bench_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stash/cli/output.h"
#include "stash/core/error.h"
#include "stash/report/html/serve_bench_page.h"
#include "stash/report/serve_bench_difference.h"
#include "stash/report/serve_bench_report.h"
#include "stash/report/terminal.h"
#include "stash/serve/bench/bench_json.h"

namespace stash {

std::string render_serve_bench(const ServeBench& bench, Format format, std::optional<double> usd_per_hour,
                               const ReportOptions& options) {
  switch (parse_format(to_string(format), kPageFormats)) {
    case Format::html:
      return render_serve_bench_html(bench, usd_per_hour);
    case Format::json:
      return serve_bench_json(bench, usd_per_hour);
    case Format::csv:
      return serve_bench_csv(bench);
    default:
      return serve_bench_text(bench, usd_per_hour, options);
  }
}

std::string render_serve_bench_file(const std::string& file, Format format, std::optional<double> usd_per_hour,
                                    const ReportOptions& options) {
  return render_serve_bench(read_serve_bench(file), format, usd_per_hour, options);
}

int compare_serve_benches(const ServeBenchFiles& files, Format format, const std::string& out) {
  const Format chosen = parse_format(to_string(format), kListFormats);
  const BenchDifference difference = compare_benches(read_serve_bench(files.before), read_serve_bench(files.after));
  if (!files.even_if_different && !difference.mismatches.empty()) {
    throw UsageError(fmt::format("these are not two runs of one server: they differ in {}; --force compares them",
                                 fmt::join(difference.mismatches, ", ")));
  }
  const ReportOptions options = out.empty() ? options_for_stdout() : ReportOptions{};
  print_or_write(chosen == Format::json  ? bench_difference_json(difference)
                 : chosen == Format::csv ? bench_difference_csv(difference)
                                         : bench_difference_text(difference, options),
                 out);
  return files.limit_ratio && !bench_increases_over(difference, *files.limit_ratio).empty() ? kExitOverLimit : 0;
}

}  // namespace stash
