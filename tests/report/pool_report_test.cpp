#include "stash/report/pool_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stash/report/html/pool_page.h"

namespace stash {
namespace {

PoolState some_state() {
  PoolState state{.up_s = 60,
                  .cores = 8,
                  .workers = 8,
                  .given_workers = 8,
                  .predicted_gain_ratio = 0.25,
                  .jobs = {},
                  .moments = {},
                  .notes = {}};
  state.jobs.push_back({.name = "<script>alert(1)</script>\x1b[2J",
                        .state = PoolJobState::sharing,
                        .pids = {17},
                        .ranks = 1,
                        .workers = 7,
                        .even_workers = 4,
                        .per_s = 70,
                        .ceiling_per_s = 200,
                        .waiting_ratio = 0.65,
                        .points = {{.at_s = 1, .lasted_s = 1, .workers = 4, .per_s = 40, .waiting_ratio = 0.8},
                                   {.at_s = 2, .lasted_s = 1, .workers = 7, .per_s = 70, .waiting_ratio = 0.65}}});
  state.jobs.push_back({.name = "gone", .state = PoolJobState::died, .pids = {}, .left_s = 30, .points = {}});
  state.moments.push_back({.at_s = 2, .why = "gone died", .workers = {{"stays", 8}}});
  return state;
}

TEST(PoolReport, LeadsWithThePredictionUntilTheGainWasMeasured) {
  PoolState state = some_state();
  EXPECT_EQ(pool_verdict(state), "8 workers among 1 job by need: +25.0 % throughput over an even split, predicted");
  state.gain = {.pairs = 1, .ratio = 0.5};
  EXPECT_NE(pool_verdict(state).find("predicted"), std::string::npos) << "one pair has no interval";
  state.gain = {.pairs = 6, .ratio = 0.3, .low_ratio = 0.2, .high_ratio = 0.4};
  EXPECT_EQ(pool_verdict(state),
            "sharing by need brings +30.0 % throughput over an even split (+20.0 to +40.0 %), measured in 6 pairs of "
            "windows");
  EXPECT_EQ(render_pool_text(state, {}).find(pool_verdict(state)), 0u);
}

TEST(PoolReport, NamesThatJobsChoseCannotBreakIt) {
  const std::string page = render_pool_html(some_state());
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert"), std::string::npos);
  EXPECT_EQ(render_pool_text(some_state(), {}).find('\x1b'), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept(render_pool_json(some_state())));
}

TEST(PoolReport, ThePageShowsWorkersThroughputAndStallOverTime) {
  const std::string page = render_pool_html(some_state());
  for (const char* title : {"workers", "samples per second", "time waiting for input"}) {
    EXPECT_NE(page.find(title), std::string::npos) << title;
  }
}

TEST(PoolReport, ThePageDrawsMoreJobsThanThereAreColoursAndSaysWhatItLeavesOut) {
  PoolState state = some_state();
  state.jobs.resize(1);
  state.jobs[0].note = "cannot be true";
  for (int number = 2; number <= 40; ++number) {
    state.jobs.push_back(state.jobs[0]);
    state.jobs.back().name = "job-" + std::to_string(number);
  }
  state.runs = {{.name = "a", .started_s = 0, .ended_s = 60, .exit_code = 3, .log = "logs/a.log"}};
  const std::string page = render_pool_html(state);
  std::size_t charts = 0;
  for (std::size_t at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) ++charts;
  EXPECT_GE(charts, 3u * 8);
  EXPECT_NE(page.find("8 more jobs are not drawn"), std::string::npos);
  EXPECT_NE(page.find("job-7: cannot be true"), std::string::npos);
  EXPECT_NE(page.find("logs/a.log"), std::string::npos);
}

TEST(PoolReport, RunsHaveTheirExitCodes) {
  PoolState state = some_state();
  state.runs = {{.name = "a", .started_s = 0, .ended_s = 60, .exit_code = 3, .log = "logs/a.log"},
                {.name = "b", .log = "logs/b.log"}};
  state.makespan_s = 60;
  const std::string text = render_pool_text(state, {});
  EXPECT_NE(text.find("logs/a.log"), std::string::npos);
  EXPECT_NE(text.find("all jobs took"), std::string::npos);
}

TEST(PoolReport, AnEmptyPoolSaysSo) {
  EXPECT_NE(render_pool_text({.jobs = {}, .moments = {}, .notes = {}}, {}).find("no job has joined"),
            std::string::npos);
}

}  // namespace
}  // namespace stash
