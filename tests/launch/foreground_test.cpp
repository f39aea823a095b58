#include "stash/launch/foreground.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "stash/core/error.h"

namespace stash {

namespace {

ForegroundEnd shell(const std::string& text) {
  return run_in_foreground({"/bin/sh", "-c", text}, {{"STASH_X", "a b"}}, [] {});
}

}  // namespace

TEST(Foreground, KeepsTheExitCode) {
  EXPECT_EQ(shell("exit 0").exit_code, 0);
  EXPECT_EQ(shell("exit 7").exit_code, 7);
}

TEST(Foreground, ASignalIsToldAsAShellTellsIt) {
  const ForegroundEnd end = shell("kill -9 $$");
  EXPECT_EQ(end.signal, 9);
  EXPECT_EQ(end.exit_code, 137);
}

TEST(Foreground, AddsToTheEnvironment) {
  EXPECT_EQ(shell("test \"$STASH_X\" = 'a b' && test -n \"$PATH\"").exit_code, 0);
}

TEST(Foreground, WhatCannotBeStartedIsNamed) {
  try {
    run_in_foreground({"/no/such/program"}, {}, [] {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_CONTAINS(std::string(error.what()), "'/no/such/program'");
  }
}

TEST(Foreground, TicksOnceMoreAfterTheEnd) {
  int ticks = 0;
  run_in_foreground({"/bin/true"}, {}, [&] { ++ticks; });
  EXPECT_GE(ticks, 1);
}

}  // namespace stash
