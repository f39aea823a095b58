#include "stash/battery/battery_log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "stash/core/error.h"
#include "support/file_content.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

// How often each case was begun; lines that are no JSON are passed over.
std::map<std::string, int> count_starts(const std::filesystem::path& folder) {
  std::map<std::string, int> starts;
  std::istringstream lines(file_content(folder / "log.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && event.value("event", "") == "start") ++starts[event.value("case", "")];
  }
  return starts;
}

TEST(BatteryLog, TwoBatteriesCannotShareAFolder) {
  const TemporaryFolder folder;
  const BatteryLog first(folder.path());
  EXPECT_NE(message_of<Error>([&] { BatteryLog(folder.path()); }).find("another battery"), std::string::npos);
}

TEST(BatteryLog, StartsOfEachCaseAreCounted) {
  const TemporaryFolder folder;
  for (int call = 0; call < 2; ++call) {
    BatteryLog log(folder.path());
    log.add("start", "a");
    log.add("cut", "a", "interrupted");
    if (call == 1) log.add("start", "b");
  }
  EXPECT_EQ(count_starts(folder.path()), (std::map<std::string, int>{{"a", 2}, {"b", 1}}));
}

TEST(BatteryLog, WhatEarlierCallsSpentIsKnown) {
  const TemporaryFolder folder;
  double now_s = 1000;
  const auto clock = [&] { return now_s; };
  {
    BatteryLog log(folder.path(), clock);
    EXPECT_EQ(log.spent_before_s(), 0);
    now_s = 1030;
  }
  now_s = 5000;
  {
    BatteryLog log(folder.path(), clock);
    EXPECT_DOUBLE_EQ(log.spent_before_s(), 30);
    now_s = 5012;
  }
  EXPECT_DOUBLE_EQ(BatteryLog(folder.path(), clock).spent_before_s(), 42);
}

TEST(BatteryLog, AKilledCallSpentWhatItsLastBeatTells) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    double now_s = 1000;
    BatteryLog log(folder.path(), [&] { return now_s; });
    log.add("start", "a");
    now_s = 1025;
    log.beat();
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  for (int call = 0; call < 2; ++call) {
    EXPECT_DOUBLE_EQ(BatteryLog(folder.path(), [] { return 2000.0; }).spent_before_s(), 25);
  }
}

TEST(BatteryLog, ALineThatWasCutShortIsPassedOver) {
  const TemporaryFolder folder;
  folder.write("log.jsonl",
               "{\"event\":\"begin\",\"unix_s\":1}\n{\"event\":\"start\",\"unix_s\":2,\"case\":\"a\"}\n{\"ev");
  {
    BatteryLog log(folder.path());
    log.add("start", "b");
  }
  EXPECT_EQ(count_starts(folder.path()), (std::map<std::string, int>{{"a", 1}, {"b", 1}}));
}

TEST(BatteryLog, AnEventOfAnotherKindOfValueIsPassedOver) {
  const TemporaryFolder folder;
  folder.write("log.jsonl", "{\"event\":7,\"unix_s\":1}\n[]\nnull\n{\"event\":\"start\",\"unix_s\":\"x\"}\n");
  EXPECT_EQ(BatteryLog(folder.path(), [] { return 2000.0; }).spent_before_s(), 0);
}

}  // namespace
}  // namespace stash
