#include "stash/cli/battery_output.h"

#include "stash/cli/output.h"
#include "stash/report/battery.h"
#include "stash/report/html/battery_page.h"

namespace stash {

std::string render_battery(const BatterySummary& summary, std::string_view format, const ReportOptions& options) {
  check_page_format(format);
  if (format == "html") return render_battery_html(summary);
  if (format == "json") return render_battery_json(summary);
  if (format == "csv") return render_battery_csv(summary);
  return render_battery_text(summary, options);
}

}  // namespace stash
