#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "hostile.h"
#include "report_fixture.h"
#include "stash/attribute/attribute.h"
#include "stash/core/version.h"
#include "stash/report/difference_report.h"
#include "stash/report/report.h"
#include "support/file_content.h"

// Whole pages of fixed profiles, in golden/. STASH_WRITE_GOLDEN=1 writes them anew; read what changed before it is
// committed.
namespace stash {

namespace {

using testing_support::interconnect_profile;
using testing_support::report_of;
using testing_support::slower_profile;

std::filesystem::path golden_file(const std::string& name) {
  return std::filesystem::path(STASH_ROOT) / "tests" / "report" / "golden" / name;
}

// The last digits of a number are the compiler's.
std::string rounded(const std::string& page) {
  static const std::regex long_number(R"(\d\.\d{10,}(e-?\d+)?)");
  std::string result;
  auto rest = page.cbegin();
  for (std::sregex_iterator one(page.begin(), page.end(), long_number), end; one != end; ++one) {
    result.append(rest, (*one)[0].first);
    result += fmt::format("{:.9g}", std::strtod(one->str().c_str(), nullptr));
    rest = (*one)[0].second;
  }
  return result.append(rest, page.cend());
}

void replace_once(std::string& page, const std::string& what, const std::string& with) {
  if (const std::size_t place = page.find(what); place != std::string::npos) page.replace(place, what.size(), with);
}

void expect_golden(std::string page, const std::string& name) {
  replace_once(page, kVersion, "VERSION");
  replace_once(page, "\"revision\": " + tool_json()["revision"].dump(), "\"revision\": REVISION");
  if (std::getenv("STASH_WRITE_GOLDEN")) std::ofstream(golden_file(name), std::ios::binary) << page;
  EXPECT_EQ(rounded(page), rounded(file_content(golden_file(name))))
      << "tests/report/golden/" << name << " is another page; if the new one is meant, write it with "
      << "STASH_WRITE_GOLDEN=1 and read the difference";
}

Profile hostile_profile() {
  Profile profile = slower_profile();
  make_hostile(profile);
  return profile;
}

void expect_reports(const Profile& profile, const std::string& name) {
  const Report report = report_of(profile, 24.48);
  expect_golden(render_text(report, {}), name + ".txt");
  expect_golden(render_markdown(report), name + ".md");
  expect_golden(render_csv(report), name + ".csv");
  expect_golden(render_ledger_openmetrics(report), name + ".prom");
}

void expect_differences(const Profile& after, const std::string& name) {
  const Profile before = interconnect_profile();
  const Difference difference = compare(before, after);
  const DifferencePage page{before, after, difference, 0.03};
  expect_golden(render_difference_text(page, {}), name + ".txt");
  expect_golden(render_difference_markdown(page, {}), name + ".md");
  expect_golden(render_difference_csv(page, {}), name + ".csv");
}

}  // namespace

TEST(Golden, Reports) {
  const Profile profile = interconnect_profile();
  expect_reports(profile, "report");
  expect_golden(render_json(report_of(profile, 24.48)), "report.json");
}

TEST(Golden, Differences) {
  const Profile before = interconnect_profile();
  Profile after = slower_profile();
  after.job.workers = 4;
  expect_differences(after, "difference");
  expect_golden(render_difference_json({before, after, compare(before, after), 0.03}, {}), "difference.json");
}

// JSON holds names whole, 10,000 characters each; other tests read it back.
TEST(Golden, HostileNames) {
  expect_reports(hostile_profile(), "hostile");
  expect_differences(hostile_profile(), "hostile_difference");
}

}  // namespace stash
