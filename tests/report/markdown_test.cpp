#include <gtest/gtest.h>

#include "../core/contains.h"
#include "fixture.h"
#include "hostile.h"
#include "stash/attribute/attribute.h"
#include "stash/report/markdown_text.h"
#include "stash/report/report.h"

namespace stash {

namespace {

using testing_support::interconnect_profile;

std::string markdown_of(const Profile& profile, const ReportOptions& options = {}) {
  return render_markdown(profile, attribute(profile), options);
}

}  // namespace

TEST(MarkdownReport, IsThisPage) {
  EXPECT_EQ(markdown_of(interconnect_profile(), {.usd_per_hour = 24.48}), R"(**interconnect costs 41 % of every step (37.1 of 90.2 ms); prep 10 %, compute 48 %**

` resnet50, batch 64 a rank, 2 ranks on cpu (gloo, fp32); node1 with 8 cores of Some CPU `

| part | ms a step | % of step | 95 % interval, ms | $/h |
| --- | --: | --: | --: | --: |
| compute | 43.30 | 48.0 | 43.11 to 43.49 | 11.75 |
| contention | 0.20 | 0.2 | not distinguishable from 0 (±0.22) |  |
| interconnect | 37.10 | 41.1 | 36.88 to 37.32 | 10.07 |
| network | – | – | the job runs on one node |  |
| copy | – | – | the CPU needs no copies |  |
| prep | 9.40 | 10.4 | 9.10 to 9.70 | 2.55 |
| fetch | 0.20 | 0.2 | not distinguishable from 0 (±0.22) |  |
| **step** | 90.20 | 100.0 | 90.09 to 90.31 | 24.48 |

late rank: none

sampling stopped after 6 rounds (31.0 s): every interval is within ±2 % of the step
)");
}

TEST(MarkdownReport, HostileNamesComeOutAsText) {
  Profile profile = interconnect_profile();
  make_hostile(profile);
  expect_harmless_markdown(markdown_of(profile));
}

TEST(MarkdownText, MarkupIsEscapedAndWordsAreNot) {
  EXPECT_EQ(markdown_text("37.1 of 90.2 ms; prep 10 %, r50-v2 (gloo)"), "37.1 of 90.2 ms; prep 10 %, r50-v2 (gloo)");
  EXPECT_EQ(markdown_text("<b>|a_b*"), "\\<b\\>\\|a\\_b\\*");
  EXPECT_EQ(markdown_text("https://x www.y @z"), "https\\://x www\\.y `@`z");
}

TEST(MarkdownText, CodeHasAFenceThatItsTextDoesNotHave) {
  EXPECT_EQ(markdown_code("a"), "` a `");
  EXPECT_EQ(markdown_code("``a`"), "``` ``a` ```");
}

}  // namespace stash
