#include <gtest/gtest.h>

#include <random>

#include "sample_profile.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"

namespace stash {

namespace {

constexpr int kMutations = 4000;

std::size_t below(std::mt19937& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

// Bytes flipped, cut out, doubled, or replaced by what JSON readers stumble over.
std::string mutate(std::string text, std::mt19937& random) {
  static constexpr const char* kTokens[] = {"null", "1e999",   "-1",  "{}",   "[",   "]",
                                            "\"",   "\\u0000", "NaN", "true", "1.5", "99999999999999999999",
                                            ",",    "{\"a\":"};
  const std::size_t changes = 1 + below(random, 4);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t place = below(random, text.size());
    const std::size_t length = std::min(text.size() - place, below(random, 12));
    switch (below(random, 4)) {
      case 0:
        text[place] = static_cast<char>(below(random, 256));
        break;
      case 1:
        text.erase(place, length);
        break;
      case 2:
        text.insert(place, text.substr(place, length));
        break;
      default:
        text.replace(place, length, kTokens[below(random, std::size(kTokens))]);
    }
  }
  return text;
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
