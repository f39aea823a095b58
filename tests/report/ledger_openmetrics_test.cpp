#include <gtest/gtest.h>

#include "../core/contains.h"
#include "hostile.h"
#include "report_fixture.h"
#include "stash/report/report.h"

namespace stash {

namespace {

using testing_support::interconnect_profile;
using testing_support::report_of;

std::string metrics_of(const Profile& profile, std::optional<double> usd_per_hour = {}) {
  return render_ledger_openmetrics(report_of(profile, usd_per_hour));
}

}  // namespace

TEST(LedgerOpenMetrics, HasTheStepAndThePresentParts) {
  const std::string text = metrics_of(interconnect_profile());
  const std::string labels = "model=\"resnet50\",device=\"cpu\",ranks=\"2\",host=\"node1\"";
  EXPECT_CONTAINS(text, "# TYPE stash_profile info\n");
  EXPECT_CONTAINS(text, "stash_profile_info{" + labels + ",batch=\"64\",dtype=\"fp32\",backend=\"gloo\",version=");
  EXPECT_CONTAINS(text, "# UNIT stash_ledger_step_seconds seconds\n");
  EXPECT_CONTAINS(text, "stash_ledger_step_seconds{" + labels + "} 0.0902");
  EXPECT_CONTAINS(text, "stash_ledger_part_seconds{" + labels + ",part=\"interconnect\"} 0.037");
  EXPECT_CONTAINS(text, "stash_ledger_rounds{" + labels + "} 6\n");
  EXPECT_EQ(text.find("part=\"network\""), std::string::npos);
  EXPECT_EQ(text.find("usd"), std::string::npos);
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(LedgerOpenMetrics, PricesAreGauges) {
  EXPECT_CONTAINS(metrics_of(interconnect_profile(), 24.48), "# TYPE stash_ledger_part_usd_per_hour gauge\n");
}

TEST(LedgerOpenMetrics, HostileNamesStayLabels) {
  Profile profile = interconnect_profile();
  make_hostile(profile);
  const std::string text = metrics_of(profile);
  EXPECT_CONTAINS(text, "model=\"<script>alert(1)</script>|`x`\\\"'?[31m?# a]");
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    EXPECT_TRUE(line.starts_with("# ") || line.starts_with("stash_")) << line;
    EXPECT_LT(line.size(), 2000u);
  }
}

}  // namespace stash
