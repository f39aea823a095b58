#include "stash/core/json_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/core/profile_keys.h"
#include "support/message_of.h"

namespace stash {
namespace {

bool has_key(const std::vector<JsonKey>& keys, std::string_view path, std::string_view type) {
  return std::ranges::any_of(keys, [&](const JsonKey& key) { return key.path == path && key.type == type; });
}

TEST(JsonKeys, TellPathAndTypeOfEveryField) {
  const std::vector<JsonKey> keys = profile_keys();
  EXPECT_TRUE(has_key(keys, "edge_s", "number"));
  EXPECT_TRUE(has_key(keys, "clocks_s", "number or null"));
  EXPECT_TRUE(has_key(keys, "windows", "list"));
  EXPECT_TRUE(has_key(keys, "windows[].ranks[].behind_s", "number or null"));
  EXPECT_TRUE(has_key(keys, "traces[].ranks[].host", "list"));
  EXPECT_TRUE(has_key(keys, "job.inject", "string"));
  EXPECT_TRUE(has_key(keys, "complete", "true or false"));
}

TEST(JsonKeys, OfAProfileAreTheKeysOfItsFile) {
  const nlohmann::json file = nlohmann::json::parse(to_json_text(Profile{}));
  std::vector<std::string> listed, written;
  for (const JsonKey& key : profile_keys()) {
    if (key.path.find_first_of(".[") == std::string::npos) listed.push_back(key.path);
  }
  for (const auto& [key, value] : file.items()) written.push_back(key);
  std::ranges::sort(listed);
  EXPECT_EQ(listed, written);
}

TEST(JsonKeys, WithoutAMeaningIsAFault) {
  EXPECT_TRUE(message_of([] { described({{"a", "number"}}, {}); }).find("'a' is not described") != std::string::npos);
}

TEST(JsonKeys, MeaningWithoutAKeyIsAFault) {
  static constexpr std::array kSuperfluous{KeyMeaning{"b", "nothing has it"}};
  EXPECT_TRUE(message_of([] { described({}, kSuperfluous); }).find("'b' is described") != std::string::npos);
}

}  // namespace
}  // namespace stash
