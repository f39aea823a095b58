#include "stash/cli/battery_output.h"

#include "stash/report/battery_report.h"
#include "stash/report/html/battery_page.h"

namespace stash {

std::string render_battery(const BatterySummary& summary, Format format, const ReportOptions& options) {
  switch (parse_format(to_string(format), kPageFormats)) {
    case Format::html:
      return render_battery_html(summary);
    case Format::json:
      return render_battery_json(summary);
    case Format::csv:
      return render_battery_csv(summary);
    default:
      return render_battery_text(summary, options);
  }
}

std::string render_battery_folder(const std::string& folder, Format format, std::optional<double> usd_per_hour,
                                  const ReportOptions& options) {
  return render_battery(summarize(BatteryFolder(folder), usd_per_hour), format, options);
}

}  // namespace stash
