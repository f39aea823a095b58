#include "stash/input/pages/file_pages.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.h"

namespace stash {

TEST(FilePages, EvictsAndLoadsWholeFiles) {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    paths.push_back((folder.path() / std::to_string(i)).string());
    std::ofstream(paths.back()) << std::string(100'000, 'x');
  }
  const std::optional<double> cold = evict_files(paths);
  if (!cold || *cold > 0.5) GTEST_SKIP() << "this file system keeps its pages";
  EXPECT_EQ(load_files(paths), 1.0);
}

TEST(FilePages, PassesOverWhatIsNotAFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(evict_files({folder.path().string(), (folder.path() / "missing").string()}), std::nullopt);
  EXPECT_EQ(load_files({}), std::nullopt);
}

}  // namespace stash
