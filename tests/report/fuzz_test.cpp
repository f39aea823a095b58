#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report_fixture.h"
#include "stash/attribute/attribute.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/report/difference_report.h"
#include "stash/report/report.h"

namespace stash {

namespace {

constexpr int kMutations = 2000;

using nlohmann::json;

// Numbers at the edges of what the reader lets through, and conditions and ranks that do not fit together.
json odd_value(std::mt19937& random) {
  static const std::vector<json> kValues{0,      1,       1e-320, 1e308, 1e300,  2147483647, "solo",
                                         "cold", nullptr, 1e-12,  3,     "node", "apart",    json::array()};
  return kValues[std::uniform_int_distribution<std::size_t>(0, kValues.size() - 1)(random)];
}

void mutate(json& value, std::mt19937& random, double probability) {
  std::bernoulli_distribution hit(probability);
  if (value.is_structured()) {
    for (auto& child : value) mutate(child, random, probability);
  } else if (hit(random)) {
    value = odd_value(random);
  }
}

}  // namespace

TEST(ReportFuzz, EveryProfileThatIsReadGivesAPageOrAnError) {
  const json valid = json::parse(to_json_text(testing_support::interconnect_profile()));
  std::mt19937 random(5);
  int rendered = 0;
  for (int i = 0; i < kMutations; ++i) {
    json document = valid;
    mutate(document["windows"], random, 0.004);
    mutate(document["job"], random, 0.01);
    try {
      const Profile profile = profile_from_json_text(document.dump());
      const Report report = testing_support::report_of(profile, 1);
      EXPECT_FALSE(render_text(report, {}).empty());
      EXPECT_FALSE(render_csv(report).empty());
      EXPECT_FALSE(render_markdown(report).empty());
      EXPECT_FALSE(render_ledger_openmetrics(report).empty());
      const Difference difference = compare(profile, testing_support::interconnect_profile());
      const DifferencePage page{profile, profile, difference, 0.03};
      EXPECT_EQ(json::parse(render_difference_json(page, {}))["schema_version"], 1);
      EXPECT_FALSE(render_difference_text(page, {}).empty());
      EXPECT_EQ(json::parse(render_json(report))["schema_version"], 1);
      ++rendered;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(rendered, kMutations / 10);
}

}  // namespace stash
