#include "stash/core/error.h"

#include <gtest/gtest.h>

#include <array>

#include "support/message_of.h"

namespace stash {

namespace {

constexpr std::array<std::string_view, 4> kModels{"resnet18", "resnet50", "vgg11", "bert_base"};

}  // namespace

TEST(Nearest, FindsTheSmallestEditDistance) {
  EXPECT_EQ(nearest("resnt50", kModels), "resnet50");
  EXPECT_EQ(nearest("vgg1", kModels), "vgg11");
  EXPECT_EQ(nearest("bertbase", kModels), "bert_base");
  EXPECT_EQ(nearest("resnet18", kModels), "resnet18");
}

TEST(Nearest, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest("llama", kModels), "");
  EXPECT_EQ(nearest("", kModels), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kModels), "");
}

TEST(ThrowUnknown, ListsTheCandidatesWhenNoneIsNear) {
  EXPECT_EQ(message_of<UsageError>([] { throw_unknown("model", "llama", kModels); }),
            "unknown model 'llama'; known are resnet18, resnet50, vgg11, bert_base");
}

}  // namespace stash
