#include "stash/launch/event_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "stash/launch/run_folder.h"

namespace stash {

namespace {

class EventFilesTest : public testing::Test {
 protected:
  void append(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name, std::ios::app) << text;
  }
  std::vector<std::string> read() {
    std::vector<std::string> lines;
    files_.read(
        [&](const std::string& file, std::string_view line) { lines.push_back(file + ":" + std::string(line)); });
    return lines;
  }

  RunFolder folder_;
  EventFiles files_{folder_.path()};
};

TEST_F(EventFilesTest, GivesEachWholeLineOnce) {
  append("rank-0-1.events", "one\ntw");
  EXPECT_EQ(read(), (std::vector<std::string>{"rank-0-1.events:one"}));
  EXPECT_TRUE(read().empty());
  append("rank-0-1.events", "o\nthree\n");
  EXPECT_EQ(read(), (std::vector<std::string>{"rank-0-1.events:two", "rank-0-1.events:three"}));
}

TEST_F(EventFilesTest, OtherFilesAreNotEvents) {
  append("run.json", "{}\n");
  append("rank-1-7.events", "x\n");
  EXPECT_EQ(read().size(), 1u);
}

TEST_F(EventFilesTest, CountsMarks) {
  append("python-1", "");
  append("python-22", "");
  append("torch-22", "");
  EXPECT_EQ(files_.count_marks("python-"), 2);
  EXPECT_EQ(files_.count_marks("torch-"), 1);
}

TEST(RunFolder, IsGoneAfterwards) {
  std::filesystem::path path;
  {
    const RunFolder folder;
    path = folder.path();
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace stash
