#include "stash/battery/figure.h"

#include <gtest/gtest.h>

#include "support/message_of.h"

namespace stash {
namespace {

TEST(Figure, TheMedianOfTenHoldsBetweenTheSecondAndTheNinth) {
  const Figure figure = make_figure("decode", "threads=1", "samples_per_s", {10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(figure.median, 5.5);
  EXPECT_EQ(figure.low, 2);
  EXPECT_EQ(figure.high, 9);
  EXPECT_EQ(figure.samples.front(), 10);
}

TEST(Figure, FewSamplesAreBoundedBySmallestAndLargest) {
  const Figure figure = make_figure("x", "", "s", {3, 1, 2});
  EXPECT_EQ(figure.low, 1);
  EXPECT_EQ(figure.high, 3);
}

TEST(Figure, FiguresComeBackFromTheirFile) {
  const std::vector<Figure> figures{make_figure("decode", "threads=1", "samples_per_s", {1, 2, 3}),
                                    absent_figure("copy", "pinned", "bytes_per_s", "there is no GPU")};
  EXPECT_EQ(figures_from_json_text(to_json_text(figures)), figures);
  EXPECT_EQ(find_figure(figures, "copy", "pinned")->why_absent, "there is no GPU");
  EXPECT_EQ(find_figure(figures, "copy", "other"), nullptr);
}

TEST(Figure, AFileOfSomethingElseIsAnError) {
  EXPECT_THROW(figures_from_json_text("{}"), Error);
  EXPECT_THROW(figures_from_json_text("[1]"), Error);
  EXPECT_NE(message_of<Error>([] { figures_from_json_text(R"({"figures": [{"name": 1}]})"); }).find("figures[0]"),
            std::string::npos);
}

}  // namespace
}  // namespace stash
