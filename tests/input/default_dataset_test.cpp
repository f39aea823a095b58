#include "stash/input/dataset/default_dataset.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

TEST(DefaultDataset, IsKnownByItsNameOnAnyMachine) {
  EXPECT_TRUE(is_default_dataset("/var/cache/ann/" + default_images_name(256)));
  EXPECT_TRUE(is_default_dataset("/var/cache/" + default_tokens_name(30522, 4'000'000)));
}

TEST(DefaultDataset, DataOfSomebodyIsNone) {
  for (const char* data :
       {"", "/data/imagenet", "/data/images-500x375-", "/data/images-500x375-12a", "images-500x375-5/x", "tokens-.bin",
        "tokens-5.bin", "tokens-5-.bin", "tokens--5.bin", "tokens-5-6.txt"}) {
    EXPECT_FALSE(is_default_dataset(data)) << data;
  }
}

}  // namespace
}  // namespace stash
