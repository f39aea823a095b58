#include "stash/cli/serve_bench_output.h"

#include "stash/report/html/serve_bench_page.h"
#include "stash/report/serve_bench_report.h"

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

}  // namespace stash
