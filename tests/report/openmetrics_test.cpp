#include "stash/report/openmetrics.h"

#include <gtest/gtest.h>

#include "../core/contains.h"

namespace stash {

TEST(OpenMetrics, HasEveryCounterOfEveryRank) {
  const CollectiveSummary small{
      .rank = 1, .op = "allreduce", .bytes = 100, .count = 3, .total_s = 0.5, .min_s = 0, .max_s = 0};
  const CollectiveSummary large{
      .rank = 1, .op = "allreduce", .bytes = 1000, .count = 2, .total_s = 0.25, .min_s = 0, .max_s = 0};
  const std::vector<WatchedRank> ranks{
      {.rank = 0, .steps = 10, .step_s = 2.5, .input_wait_s = 0.5, .collectives = {}},
      {.rank = 1, .steps = 11, .step_s = 2.5, .input_wait_s = 0, .collectives = {small, large}}};
  const std::string text = render_openmetrics(ranks, "train.py");
  EXPECT_CONTAINS(text, "# TYPE stash_steps counter\n");
  EXPECT_CONTAINS(text, "stash_steps_total{job=\"train.py\",rank=\"0\"} 10\n");
  EXPECT_CONTAINS(text, "# UNIT stash_step_seconds seconds\n");
  EXPECT_CONTAINS(text, "stash_step_seconds_total{job=\"train.py\",rank=\"1\"} 2.5\n");
  EXPECT_CONTAINS(text, "stash_collectives_total{job=\"train.py\",rank=\"1\",op=\"allreduce\"} 5\n");
  EXPECT_CONTAINS(text, "stash_collective_seconds_total{job=\"train.py\",rank=\"1\",op=\"allreduce\"} 0.75\n");
  EXPECT_CONTAINS(text, "stash_collective_bytes_total{job=\"train.py\",rank=\"1\",op=\"allreduce\"} 2300\n");
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(OpenMetrics, HostileNamesStayLabels) {
  const std::vector<WatchedRank> ranks{{.rank = 0, .steps = 1, .step_s = 1, .input_wait_s = 0, .collectives = {}}};
  const std::string text = render_openmetrics(ranks, "a\"} 1\nb\\");
  EXPECT_CONTAINS(text, "{job=\"a\\\"} 1\\nb\\\\\",rank=\"0\"}");
}

}  // namespace stash
