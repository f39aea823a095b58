#include "stash/launch/process/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "launch/is_alive.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "support/eventually.h"
#include "support/message_of.h"

namespace stash {
namespace {

CommandResult run_shell(const std::string& script) { return run_command({.arguments = {"sh", "-c", script}}); }

TEST(Subprocess, CapturesBothStreamsAndTheExitCode) {
  const CommandResult result = run_shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(describe_end(result), "exit code 3");
}

TEST(Subprocess, PassesArgumentsUntouchedByAnyShell) {
  const CommandResult result = run_command({.arguments = {"printf", "%s|", "a b", "$HOME", "*", "'\"", ""}});
  EXPECT_EQ(result.output, "a b|$HOME|*|'\"||");
}

TEST(Subprocess, ChangesAndRemovesVariables) {
  ::setenv("STASH_TEST_REMOVED", "1", 1);
  const CommandResult result =
      run_command({.arguments = {"sh", "-c", "echo ${STASH_TEST_REMOVED-gone} $STASH_TEST_SET"},
                   .environment = {{"STASH_TEST_REMOVED", std::nullopt}, {"STASH_TEST_SET", "two words"}}});
  ::unsetenv("STASH_TEST_REMOVED");
  EXPECT_EQ(result.output, "gone two words\n");
}

TEST(Subprocess, RunsInTheFolderItIsGiven) {
  const CommandResult result = run_command({.arguments = {"pwd"}, .folder = "/usr"});
  EXPECT_EQ(result.output, "/usr\n");
}

TEST(Subprocess, KeepsTheStartOfEndlessOutputWithinTheLimit) {
  const CommandResult result = run_command(
      {.arguments = {"sh", "-c", "yes | head -c 3000000; yes no | head -c 3000000 >&2"}, .limit_bytes = 1000});
  EXPECT_EQ(result.output.size(), 1000U);
  EXPECT_EQ(result.errors.size(), 1000U);
  EXPECT_TRUE(result.truncated);
  EXPECT_TRUE(result.succeeded());
}

TEST(Subprocess, HandsOnLinesAsTheyComeAndTheLastWithoutNewline) {
  std::vector<std::string> lines;
  run_command(
      {.arguments = {"printf", "one\\n\\nthree"}, .on_line = [&](std::string_view line) { lines.emplace_back(line); }});
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "three"}));
}

TEST(Subprocess, HandsOnAnEndlessLineInPieces) {
  std::size_t longest = 0, total = 0;
  run_command({.arguments = {"sh", "-c", "yes | tr -d '\\n' | head -c 1000000"}, .on_line = [&](std::string_view line) {
                 longest = std::max(longest, line.size());
                 total += line.size();
               }});
  EXPECT_EQ(total, 1000000U);
  EXPECT_LT(longest, 100000U);
}

TEST(Subprocess, KillsTheWholeGroupAtTheDeadline) {
  const std::int64_t start_ns = now_ns();
  const CommandResult result = run_command({.arguments = {"sh", "-c", "sleep 60 & echo $!; wait"}, .deadline_s = 0.3});
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.exit_code);
  EXPECT_EQ(describe_end(result), "no end within its deadline");
  EXPECT_LT(seconds(now_ns() - start_ns), 30);
  const pid_t grandchild = std::atoi(result.output.c_str());
  ASSERT_GT(grandchild, 0);
  // Killed, it is gone or waits for init to reap it; alive, it would sleep for a minute.
  EXPECT_TRUE(eventually([&] { return !is_alive(grandchild); }));
}

TEST(Subprocess, KeepsTheDeadlineWhenTheStreamsAreClosed) {
  const CommandResult result = run_command({.arguments = {"sh", "-c", "exec sleep 60 >&- 2>&-"}, .deadline_s = 0.2});
  EXPECT_TRUE(result.timed_out);
}

TEST(Subprocess, DoesNotWaitForAGrandchildThatHoldsTheStreams) {
  const std::int64_t start_ns = now_ns();
  const CommandResult result = run_shell("echo $$; sleep 20 & echo $!");
  EXPECT_TRUE(result.succeeded());
  EXPECT_LT(seconds(now_ns() - start_ns), 15);
  const std::size_t second_line = result.output.find('\n') + 1;
  ::kill(std::atoi(result.output.c_str() + second_line), SIGKILL);
}

TEST(Subprocess, ReportsASignal) {
  const CommandResult result = run_shell("kill -9 $$");
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(describe_end(result), "signal 9 (Killed)");
}

TEST(Subprocess, GivesTheChildDefaultSignalsAndEmptyInput) {
  struct sigaction ignored{}, before{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGTERM, &ignored, &before);
  const CommandResult result = run_shell("cat; kill -TERM $$; echo survived");
  ::sigaction(SIGTERM, &before, nullptr);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.output, "");
}

TEST(Subprocess, KeepsOnlyTheDescriptorsItIsTold) {
  const int kept = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int closed = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::string script = "for fd in " + std::to_string(kept) + " " + std::to_string(closed) +
                             "; do test -e /proc/self/fd/$fd && echo $fd; done; true";
  const CommandResult result = run_command({.arguments = {"sh", "-c", script}, .inherited_fds = {kept}});
  EXPECT_EQ(result.output, std::to_string(kept) + "\n");
  ::close(kept);
  ::close(closed);
}

TEST(Subprocess, NamesWhatCannotBeStarted) {
  const std::string message = message_of([] { run_command({.arguments = {"no-such-program-here"}}); });
  EXPECT_NE(message.find("'no-such-program-here'"), std::string::npos) << message;
  EXPECT_NE(message.find("No such file"), std::string::npos) << message;
  EXPECT_THROW(run_command({.arguments = {}}), Error);
  EXPECT_THROW(run_command({.arguments = {"true"}, .folder = "/no/such/folder"}), Error);
}

TEST(Subprocess, FindsProgramsInThePathAndByName) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_EQ(find_program("/bin/sh"), std::filesystem::path("/bin/sh"));
  EXPECT_FALSE(find_program("no-such-program-here"));
  EXPECT_FALSE(find_program("/etc/passwd"));
  EXPECT_FALSE(find_program("/usr"));
  EXPECT_FALSE(find_program(""));
}

}  // namespace
}  // namespace stash
