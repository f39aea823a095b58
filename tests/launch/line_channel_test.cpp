#include "stash/launch/process/line_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "stash/launch/process/child.h"

namespace stash {
namespace {

class LineChannelTest : public testing::Test {
 protected:
  // Without a newline at the end.
  void send(std::string_view text) {
    ASSERT_EQ(::write(pipe_.write_end.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  bool read(LineReader& reader) {
    return reader.read_lines([this](std::string_view line) { lines_.emplace_back(line); });
  }

  Pipe pipe_;
  std::vector<std::string> lines_;
};

TEST_F(LineChannelTest, ALineArrivesWhenItIsWhole) {
  LineReader reader(pipe_.read_end.get(), 100);
  send("one\ntw");
  EXPECT_TRUE(read(reader));
  EXPECT_EQ(lines_, std::vector<std::string>{"one"});
  send("o\n\n");
  EXPECT_TRUE(read(reader));
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "two", ""}));
}

TEST_F(LineChannelTest, TheEndBringsWhatHasNoNewline) {
  LineReader reader(pipe_.read_end.get(), 100);
  send("last words");
  pipe_.write_end.close();
  EXPECT_FALSE(read(reader));
  EXPECT_EQ(lines_, std::vector<std::string>{"last words"});
  EXPECT_FALSE(read(reader));
  EXPECT_EQ(lines_.size(), 1U);
}

TEST_F(LineChannelTest, ALineThatIsTooLongIsCutAndTheNextIsWhole) {
  LineReader reader(pipe_.read_end.get(), 4);
  send("abcdef");
  read(reader);
  send("ghi\nxy\n");
  read(reader);
  EXPECT_EQ(lines_, (std::vector<std::string>{"abcd", "xy"}));
}

TEST_F(LineChannelTest, ALineLargerThanThePipeIsWrittenWhole) {
  const std::string large(1 << 20, 'x');
  bool written = false;
  std::jthread writer([&] {
    written = write_line(pipe_.write_end.get(), large);
    pipe_.write_end.close();
  });
  LineReader reader(pipe_.read_end.get(), large.size());
  while (read(reader)) std::this_thread::yield();
  writer.join();
  EXPECT_TRUE(written);
  EXPECT_EQ(lines_, std::vector<std::string>{large});
}

TEST_F(LineChannelTest, WritingToNobodyIsTold) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  pipe_.read_end.close();
  EXPECT_FALSE(write_line(pipe_.write_end.get(), "hello"));
  EXPECT_FALSE(write_line(-1, "hello"));
  ::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace stash
