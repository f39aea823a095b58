#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "link_rate_fit.h"

// Predictions with the committed catalog/link_rates.csv against the rows that it was fitted to. What happens to
// machines that the fit has not seen is in docs/accuracy.md, by bench/scaling_rows.

namespace stash {
namespace {

struct Agreement {
  std::vector<double> errors;  // points of efficiency
  int covered = 0;

  void add(const Estimate& predicted, double published) {
    errors.push_back(std::abs(predicted.s - published));
    covered += predicted.low_s <= published && published <= predicted.high_s;
  }
  double count() const { return static_cast<double>(errors.size()); }
  double mean() const {
    double sum = 0;
    for (const double error : errors) sum += error;
    return sum / count();
  }
  double quantile_95() const {
    std::vector<double> sorted = errors;
    std::ranges::sort(sorted);
    return sorted[static_cast<std::size_t>(0.95 * (count() - 1))];
  }
};

const std::vector<bench::ScalingCase>& published_cases() {
  static const std::vector<bench::ScalingCase> cases = [] {
    std::vector<bench::ScalingCase> made;
    for (const bench::ScalingRow& row : bench::read_scaling_rows(STASH_ROOT "/data/scaling_measured.csv").rows) {
      std::string why;
      if (auto one = bench::make_case(row, why)) made.push_back(std::move(*one));
    }
    return made;
  }();
  return cases;
}

Agreement agreement(bool across_nodes) {
  Agreement found;
  for (const bench::ScalingCase& one : published_cases()) {
    if ((one.row.nodes > 1) == across_nodes) found.add(one.interval(link_rates), one.row.efficiency);
  }
  return found;
}

TEST(PublishedScaling, EfficiencyOnOneNodeIsWithinFivePoints) {
  const Agreement found = agreement(false);
  EXPECT_GT(found.count(), 400);
  EXPECT_LT(found.mean(), 0.05);
  EXPECT_LT(found.quantile_95(), 0.15);
  EXPECT_GT(found.covered / found.count(), 0.90);
}

TEST(PublishedScaling, EfficiencyAcrossNodesIsWithinEightPoints) {
  const Agreement found = agreement(true);
  EXPECT_GT(found.count(), 150);
  EXPECT_LT(found.mean(), 0.08);
  EXPECT_LT(found.quantile_95(), 0.25);
  EXPECT_GT(found.covered / found.count(), 0.89);
}

TEST(PublishedScaling, AllReducesTakeAboutAsLongAsPublished) {
  const std::vector<bench::LinkRow> rows = bench::read_link_rows(STASH_ROOT "/data/links_measured.csv");
  double sum = 0;
  for (const bench::LinkRow& row : rows) sum += std::abs(bench::all_reduce_s(row, link_rates) / row.s - 1);
  EXPECT_GT(rows.size(), 80U);
  EXPECT_LT(sum / static_cast<double>(rows.size()), 0.2);
}

TEST(PublishedScaling, ADataSheetAloneWouldNotDo) {
  const auto as_sold = [](Transport transport, std::string_view) {
    return LinkRateRow{.transport = transport, .machine = {}, .rates = {}, .rows = 0, .source = {}};
  };
  Agreement found;
  for (const bench::ScalingCase& one : published_cases()) {
    const double efficiency = one.efficiency(as_sold);
    if (one.row.nodes > 1) found.add({efficiency, efficiency, efficiency}, one.row.efficiency);
  }
  EXPECT_GT(found.mean(), 1.5 * agreement(true).mean());
}

}  // namespace
}  // namespace stash
