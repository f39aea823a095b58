#include "stash/input/dataset/dataset_bytes.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace stash {
namespace {

TEST(DatasetBytes, AreTheSumOfTheFiles) {
  const TemporaryFolder folder;
  folder.write("train/a/1.jpg", std::string(1000, 'x'));
  folder.write("train/a/2.jpg", std::string(3000, 'x'));
  folder.write("train/b/3.jpeg", std::string(500, 'x'));
  EXPECT_EQ(estimate_bytes(*open_dataset(folder.path() / "train", InputKind::images)), 4500);
  EXPECT_EQ(count_bytes(folder.path() / "train"), 4500);
  EXPECT_EQ(count_bytes(folder.path() / "train/a/2.jpg"), 3000);
}

TEST(DatasetBytes, OfMoreFilesThanAreLookedAtAreScaledUp) {
  const TemporaryFolder folder;
  for (int i = 0; i < 2500; ++i) folder.write("train/a/" + std::to_string(i) + ".jpg", std::string(200, 'x'));
  EXPECT_EQ(estimate_bytes(*open_dataset(folder.path() / "train", InputKind::images)), 2500 * 200);
}

TEST(DatasetBytes, OfTokensAreThoseOfTheirSamples) {
  const TemporaryFolder folder;
  const auto path = folder.write("tokens.bin", std::string(2 * 101, '\1'));
  EXPECT_EQ(estimate_bytes(*open_dataset(path, InputKind::tokens, 10)), 10 * 11 * 2);
}

TEST(DatasetBytes, AreUnknownWhereNothingCanBeLookedAt) {
  const TemporaryFolder folder;
  folder.write("train/a/1.jpg", "x");
  const auto dataset = open_dataset(folder.path() / "train", InputKind::images);
  std::filesystem::remove(folder.path() / "train/a/1.jpg");
  EXPECT_EQ(estimate_bytes(*dataset), std::nullopt);
  EXPECT_EQ(count_bytes(folder.path() / "nowhere"), std::nullopt);
}

}  // namespace
}  // namespace stash
