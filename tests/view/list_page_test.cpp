#include "stash/view/list_page.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "../report/hostile.h"
#include "folder.h"

namespace stash {

namespace {

using testing_support::profile_of_model;
using testing_support::TestFolder;

ListedFile listed(const std::string& name, const std::string& model, const std::string& device) {
  ListedFile file{.name = name, .modified_ns = 0, .profile = ProfileSummary{}, .why_not = ""};
  file.profile->model = model;
  file.profile->device = device;
  file.profile->stall = Part::network;
  return file;
}

}  // namespace

TEST(ListFilter, EveryWordMustBeInTheRow) {
  const ListedFile file = listed("night run.json", "resnet50", "cuda");
  for (const char* words : {"", "  ", "resnet", "NIGHT cuda", "network run"}) {
    EXPECT_TRUE(matches(file, {.words = words, .part = "", .device = ""})) << words;
  }
  EXPECT_FALSE(matches(file, {.words = "resnet day", .part = "", .device = ""}));
}

TEST(ListFilter, PartAndDeviceAreExact) {
  const ListedFile file = listed("a.json", "resnet50", "emulated:V100");
  EXPECT_TRUE(matches(file, {.words = "", .part = "network", .device = "emulated:V100"}));
  EXPECT_FALSE(matches(file, {.words = "", .part = "fetch", .device = ""}));
  EXPECT_FALSE(matches(file, {.words = "", .part = "", .device = "emulated:V10"}));
  const ListedFile other{.name = "b.json", .modified_ns = 0, .profile = {}, .why_not = "no profile"};
  EXPECT_TRUE(matches(other, {}));
  EXPECT_FALSE(matches(other, {.words = "", .part = "network", .device = ""}));
}

TEST(ListPage, HasARowForEachFile) {
  const TestFolder folder;
  folder.write("a b.json", profile_of_model("vgg11"));
  folder.write("broken.json", "[");
  ProfileFolder files(folder.path());
  files.refresh(60);
  const std::string page = list_page("results", files, {});
  EXPECT_CONTAINS(page, "<a href=\"/profile?file=a%20b.json\">a b.json</a>");
  EXPECT_CONTAINS(page, "<td>vgg11</td><td class=\"n\">64</td><td>cpu</td><td class=\"n\">2</td>");
  EXPECT_CONTAINS(page, "<td>interconnect 41 %</td>");
  EXPECT_CONTAINS(page, "not a profile: ");
  EXPECT_CONTAINS(page, "<option value=\"interconnect\">");
}

TEST(ListPage, NamesComeOutAsText) {
  const TestFolder folder;
  Profile hostile = profile_of_model("x");
  make_hostile(hostile);
  folder.write("<img src=x onerror=alert(1)>\"'&\xff\n.json", hostile);
  folder.write("<b>.json", "<script>");
  ProfileFolder files(folder.path());
  files.refresh(60);
  const std::string page =
      list_page("<script>", files, {.words = "\"><script>", .part = "", .device = ""}) + list_rows(files, {});
  for (const char* harmful : {"<img", "<b>", "\x1b", "\xff", "<script>"}) {
    EXPECT_EQ(page.find(harmful), std::string::npos) << harmful;
  }
  EXPECT_CONTAINS(page, "&lt;img src=x onerror=alert(1)&gt;");
}

}  // namespace stash
