#include <gtest/gtest.h>

#include "../core/contains.h"
#include "hostile.h"
#include "report_fixture.h"
#include "stash/report/markdown_text.h"
#include "stash/report/report.h"

namespace stash {

namespace {

using testing_support::interconnect_profile;
using testing_support::report_of;

std::string markdown_of(const Profile& profile) { return render_markdown(report_of(profile)); }

}  // namespace

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
