#include <gtest/gtest.h>

#include <random>

#include "mutate.h"
#include "sample_profile.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"

namespace stash {

namespace {

constexpr int kMutations = 4000;

// Bytes flipped, cut out, doubled, or replaced by what JSON readers stumble over.
std::string mutate(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kTokens = {"null", "1e999",   "-1",  "{}",   "[",   "]",
                                                   "\"",   "\\u0000", "NaN", "true", "1.5", "99999999999999999999",
                                                   ",",    "{\"a\":"};
  return stash::mutate(std::move(text), random, kTokens, 4, 12);
}

}  // namespace

TEST(ProfileFuzz, DamagedFilesGiveAProfileOrAnErrorAndNothingElse) {
  const std::string valid = to_json_text(testing_support::sample_profile());
  std::mt19937 random(20230718);
  int refused = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string text = mutate(valid, random);
    try {
      const Profile profile = profile_from_json_text(text);
      // What was accepted is whole: it can be written and comes back the same.
      EXPECT_EQ(profile_from_json_text(to_json_text(profile)), profile);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kMutations / 4);
  EXPECT_LT(refused, kMutations);
}

}  // namespace stash
