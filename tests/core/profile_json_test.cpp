#include "stash/core/profile_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "contains.h"
#include "sample_profile.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {

namespace {

using nlohmann::json;
using testing_support::sample_profile;

std::string profile_fault(const std::string& text) {
  return message_of([&] { profile_from_json_text(text); });
}

std::string text_after(const std::function<void(json&)>& change) {
  json document = json::parse(to_json_text(sample_profile()));
  change(document);
  return document.dump();
}

std::string message_after(const std::function<void(json&)>& change) { return profile_fault(text_after(change)); }

}  // namespace

TEST(ProfileJson, RoundTripKeepsEveryField) {
  const Profile profile = sample_profile();
  EXPECT_EQ(profile_from_json_text(to_json_text(profile)), profile);
}

TEST(ProfileJson, DefaultProfileRoundTrips) { EXPECT_EQ(profile_from_json_text(to_json_text(Profile{})), Profile{}); }

TEST(ProfileJson, ATraceRoundTripsByItself) {
  const RankTrace trace = sample_profile().traces[0].ranks[0];
  EXPECT_EQ(rank_trace_from_json(to_json(trace)), trace);
}

TEST(ProfileJson, HeaderNamesSchemaAndTool) {
  const json document = json::parse(to_json_text(sample_profile()));
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["tool"]["name"], "stash");
  EXPECT_TRUE(document["tool"]["version"].is_string());
}

TEST(ProfileJson, NewerSchemaIsRefused) {
  EXPECT_EQ(message_after([](json& d) { d["schema_version"] = 2; }),
            "made by a newer Stash (schema 2); this one reads up to 1: update");
  EXPECT_CONTAINS(message_after([](json& d) { d["schema_version"] = "1"; }), "must be a whole number");
  EXPECT_CONTAINS(message_after([](json& d) { d.erase("schema_version"); }), "is no profile");
}

TEST(ProfileJson, WrongTypesNameTheKey) {
  EXPECT_EQ(message_after([](json& d) { d["windows"][1]["ranks"][0]["wall_s"] = "1"; }),
            "windows[1].ranks[0].wall_s must be a number");
  EXPECT_EQ(message_after([](json& d) { d["windows"] = 3; }), "windows must be an array");
  EXPECT_EQ(message_after([](json& d) { d["job"] = json::array(); }), "job must be an object");
  EXPECT_EQ(message_after([](json& d) { d["complete"] = 1; }), "complete must be true or false");
  EXPECT_EQ(message_after([](json& d) { d["job"]["model"] = 3; }), "job.model must be a string");
  EXPECT_EQ(message_after([](json& d) { d["job"]["batch"] = -1; }), "job.batch is -1; it must be at least 0");
  EXPECT_EQ(message_after([](json& d) { d["inputs"][0].erase("samples"); }), "inputs[0].samples is missing");
}

TEST(ProfileJson, ValuesOutOfRangeNameTheKey) {
  EXPECT_EQ(message_after([](json& d) { d["windows"][0]["steps"] = 0; }),
            "windows[0].steps is 0; it must be at least 1");
  EXPECT_EQ(message_after([](json& d) { d["windows"][0]["steps"] = 5'000'000'000; }),
            "windows[0].steps is 5000000000, which is out of range");
  EXPECT_EQ(message_after([](json& d) { d["windows"][0]["steps"] = 1.5; }), "windows[0].steps must be a whole number");
  EXPECT_CONTAINS(message_after([](json& d) { d["windows"][0]["condition"] = "jonied"; }),
                  "windows[0].condition holds an unknown condition 'jonied'");
  EXPECT_CONTAINS(message_after([](json& d) { d["stopped_by"] = "boredom"; }), "stopped_by is 'boredom'");
  EXPECT_CONTAINS(message_after([](json& d) { d["job"]["inject"] = "gravity=9"; }), "job.inject is no injection");
}

TEST(ProfileJson, AnOlderProfileHasNoTraces) {
  json document = json::parse(to_json_text(sample_profile()));
  document.erase("traces");
  Profile expected = sample_profile();
  expected.traces.clear();
  EXPECT_EQ(profile_from_json_text(document.dump()), expected);
}

TEST(ProfileJson, SpansThatAreNoneNameTheKey) {
  const auto with_span = [](const json& span) {
    return message_after([&](json& d) { d["traces"][0]["ranks"][0]["host"][1] = span; });
  };
  const std::string where = "traces[0].ranks[0].host[1]";
  EXPECT_EQ(with_span({{"kind", "step"}}), where + " must be an array");
  EXPECT_EQ(with_span(json::array()), where + " is an empty span");
  EXPECT_EQ(with_span({"nap", 1, 2}), where + "[0] is 'nap', which is no kind of span");
  EXPECT_EQ(with_span({"step", 1}), where + " has 2 values; a span of its kind has 3");
  EXPECT_EQ(with_span({"collective", 1, 2}), where + " has 3 values; a span of its kind has 5");
  EXPECT_EQ(with_span({"step", -1, 2}), where + "[1] is -1; it must be from 0 to 1000000000000");
  EXPECT_EQ(with_span({"step", 1, INT64_MAX}),
            where + "[2] is 9223372036854775807; it must be from 0 to 1000000000000");
  EXPECT_EQ(with_span({"step", 0.5, 2}), where + "[1] must be a whole number");
  EXPECT_EQ(with_span({"collective", 1, 2, 3, 4}), where + "[4] must be a string");
}

TEST(ProfileJson, NonFiniteNumbersAreRefused) {
  const std::string text = to_json_text(sample_profile());
  const std::size_t place = text.find("31.5");
  for (const char* number : {"1e999", "NaN", "Infinity", "-1e999"}) {
    const std::string damaged = std::string(text).replace(place, 4, number);
    EXPECT_THROW(profile_from_json_text(damaged), Error) << number;
  }
  Profile profile = sample_profile();
  profile.elapsed_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(to_json_text(profile), Error);
}

TEST(ProfileJson, UnknownKeysAreIgnored) {
  const std::string text = text_after([](json& d) { d["windows"][0]["colour"] = {{"deep", {1, 2}}}; });
  EXPECT_NO_THROW(profile_from_json_text(text));
}

TEST(ProfileJson, TruncatedFileSaysSo) {
  const std::string text = to_json_text(sample_profile());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size() / 3, text.size() / 2, text.size() - 3}) {
    EXPECT_CONTAINS(profile_fault(text.substr(0, size)), "truncated or damaged") << size;
  }
}

TEST(ProfileJson, DeepNestingIsRefusedBeforeItIsBuilt) {
  EXPECT_CONTAINS(profile_fault(std::string(1'000'000, '[')), "nested deeper");
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += R"({"a":)";
  EXPECT_CONTAINS(profile_fault(objects), "nested deeper");
}

TEST(ProfileJson, MillionsOfValuesAreRefused) {
  std::string text = "[0";
  for (int i = 0; i < 4'100'000; ++i) text += ",0";
  EXPECT_CONTAINS(profile_fault(text + "]"), "more than 4000000 values");
}

TEST(ProfileJson, ManyObjectsInOneArrayTakeNoSquareOfTheirTime) {
  std::string text = "[0";
  for (int i = 0; i < 1'000'000; ++i) text += ",{}";
  EXPECT_CONTAINS(profile_fault(text + "]"), "is no profile");
}

TEST(ProfileJson, OversizedDocumentIsRefused) {
  EXPECT_CONTAINS(profile_fault(std::string((64u << 20) + 1, ' ')), "at most 67108864 are read");
}

TEST(ProfileJson, TextThatIsNotUtf8IsWrittenHarmlessly) {
  Profile profile = sample_profile();
  profile.job.data = "caf\xe9";
  EXPECT_EQ(profile_from_json_text(to_json_text(profile)).job.data, "caf\xef\xbf\xbd");
}

// All conditions in twenty rounds, every rank with counters.
TEST(ProfileJson, ManyRanksFitInAFile) {
  constexpr int kRanks = 512, kRounds = 20, kLimitBytes = 20'000'000;
  Profile profile = sample_profile();
  profile.windows.clear();
  profile.places.assign(kRanks, {"node-with-a-long-name-0123", 3});
  for (int round = 0; round < kRounds; ++round) {
    for (const Condition condition : kConditions) {
      Window window{round, condition, 7, {}, 0.25, 64.0, 63.0};
      window.ranks.assign(kRanks, RankSample{1.0 / 3, 0.1 / 3, 0.05 / 3, 0.001 / 3});
      profile.windows.push_back(window);
    }
  }
  profile.collectives.clear();
  profile.inputs.clear();
  for (int rank = 0; rank < kRanks; ++rank) {
    for (int bucket = 0; bucket < 4; ++bucket) {
      profile.collectives.push_back({rank, Condition::joined, "allreduce", 1 << 20, 12, 0.5 / 3, 0.01 / 3, 0.1 / 3});
    }
    profile.inputs.push_back({rank, 640, 70'400'000, 1'000'000, 0.5 / 3, 3.5 / 3, 0.7 / 3, 0, {}});
  }
  constexpr int kSpans = 100'000 / kRanks / static_cast<int>(kConditions.size());
  profile.traces.clear();
  for (const Condition condition : kConditions) {
    const Span span{SpanKind::collective, 1'234'567, 123'456, 25 << 20, "allreduce"};
    profile.traces.push_back({1, condition, std::vector(kRanks, RankTrace{7, std::vector(kSpans, span), {}, 0})});
  }
  const std::string text = to_json_text(profile);
  EXPECT_LT(text.size(), kLimitBytes);
  EXPECT_EQ(profile_from_json_text(text), profile);
}

}  // namespace stash
