#include "stash/view/site.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "folder.h"

namespace stash {

namespace {

using testing_support::profile_of_model;
using testing_support::TestFolder;

class SiteTest : public testing::Test {
 protected:
  SiteTest() {
    folder_.write("a.json", profile_of_model("vgg11"));
    folder_.write("50% off.json", testing_support::slower_profile());
    folder_.write("broken.json", "{");
  }

  Response get(const std::string& path, std::map<std::string, std::string> query = {}) {
    site_.answer({.head = false, .path = "/", .query = {}, .host = ""});
    return site_.answer({.head = false, .path = path, .query = std::move(query), .host = ""});
  }

  TestFolder folder_;
  Site site_{folder_.path(), [](Profile profile) { return testing_support::report_of(profile); }};
};

TEST_F(SiteTest, TheListAsksOnlyItsOwnServer) {
  const Response response = get("/");
  EXPECT_EQ(response.status, 200);
  EXPECT_CONTAINS(response.policy, "connect-src 'self'");
  EXPECT_CONTAINS(response.policy, "script-src 'self'");
  EXPECT_EQ(response.body.find("http"), std::string::npos);
  EXPECT_CONTAINS(get("/view.js").body, "EventSource(\"/events\")");
  EXPECT_TRUE(get("/events").is_stream);
}

TEST_F(SiteTest, RowsAreFiltered) {
  EXPECT_CONTAINS(get("/rows", {{"words", "vgg11"}}).body, "a.json");
  EXPECT_EQ(get("/rows", {{"words", "vgg11"}}).body.find("broken.json"), std::string::npos);
}

TEST_F(SiteTest, AProfileIsItsReport) {
  const Response response = get("/profile", {{"file", "a.json"}});
  EXPECT_EQ(response.status, 200);
  EXPECT_CONTAINS(response.body, "interconnect costs 41 %");
  EXPECT_EQ(response.policy.find("connect-src"), std::string::npos);
}

TEST_F(SiteTest, TwoProfilesAreCompared) {
  folder_.write("a.json", testing_support::interconnect_profile());
  const Response response = get("/compare", {{"before", "a.json"}, {"after", "50%25%20off.json"}});
  EXPECT_EQ(response.status, 200);
  EXPECT_CONTAINS(response.body, "after is 4.4 % slower");
  EXPECT_CONTAINS(response.body, "after: 50% off.json");
}

TEST_F(SiteTest, JobsThatDifferAreComparedWithAWarning) {
  const Response response = get("/compare", {{"before", "a.json"}, {"after", "50%25%20off.json"}});
  EXPECT_CONTAINS(response.body, "not two profiles of one job");
  EXPECT_CONTAINS(response.body, "model was vgg11, is resnet50");
}

TEST_F(SiteTest, WhatCannotBeShownSaysWhy) {
  EXPECT_EQ(get("/profile", {{"file", "broken.json"}}).status, 422);
  EXPECT_EQ(get("/profile", {{"file", "../a.json"}}).status, 422);
  EXPECT_EQ(get("/profile").status, 422);
  EXPECT_EQ(get("/compare", {{"before", "a.json"}}).status, 422);
  EXPECT_EQ(get("/compare", {{"before", "a.json"}, {"after", "%"}}).status, 422);
  EXPECT_EQ(get("/a.json").status, 404);
  EXPECT_EQ(get("/../etc/passwd").status, 404);
}

}  // namespace
}  // namespace stash
