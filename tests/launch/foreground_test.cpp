#include "stash/launch/process/foreground.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "support/message_of.h"

namespace stash {

namespace {

ForegroundEnd run_shell_in_foreground(const std::string& text) {
  return run_in_foreground({"/bin/sh", "-c", text}, {{"STASH_X", "a b"}}, [] {});
}

}  // namespace

TEST(Foreground, KeepsTheExitCode) {
  EXPECT_EQ(run_shell_in_foreground("exit 0").exit_code, 0);
  EXPECT_EQ(run_shell_in_foreground("exit 7").exit_code, 7);
}

TEST(Foreground, ASignalIsToldAsAShellTellsIt) {
  const ForegroundEnd end = run_shell_in_foreground("kill -9 $$");
  EXPECT_EQ(end.signal, 9);
  EXPECT_EQ(end.exit_code, 137);
}

TEST(Foreground, AddsToTheEnvironment) {
  EXPECT_EQ(run_shell_in_foreground("test \"$STASH_X\" = 'a b' && test -n \"$PATH\"").exit_code, 0);
}

TEST(Foreground, WhatCannotBeStartedIsNamed) {
  EXPECT_CONTAINS(message_of([] { run_in_foreground({"/no/such/program"}, {}, [] {}); }), "'/no/such/program'");
}

TEST(Foreground, TicksOnceMoreAfterTheEnd) {
  int ticks = 0;
  run_in_foreground({"/bin/true"}, {}, [&] { ++ticks; });
  EXPECT_GE(ticks, 1);
}

}  // namespace stash
