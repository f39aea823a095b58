#include "stash/launch/fault.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace stash {
namespace {

RankEnd exited(int rank, int code, std::string output = "") {
  return {.rank = rank, .exit_code = code, .signal = std::nullopt, .last_output = std::move(output)};
}

RankEnd killed(int rank, int signal) { return {.rank = rank, .signal = signal, .last_output = ""}; }

std::string fault(std::vector<RankEnd> ends, const RankErrors& errors = {}) {
  Outcome outcome;
  outcome.ends = std::move(ends);
  return describe_fault(outcome, errors, 30).value_or("none");
}

TEST(Fault, WhereEveryRankEndedWellThereIsNone) { EXPECT_EQ(fault({exited(1, 0), exited(0, 0)}), "none"); }

TEST(Fault, ARankThatSaidWhyComesBeforeOneThatDiedSilentlyAndOneThatLostTheOthers) {
  const RankErrors errors{{0, {FaultKind::peer, "connection closed by peer", {}}},
                          {2, {FaultKind::environment, "no such file", {}}}};
  EXPECT_EQ(fault({exited(0, 1), killed(1, SIGSEGV), exited(2, 1)}, errors), "rank 2: no such file");
}

TEST(Fault, ASilentDeathComesBeforeOneThatLostTheOthers) {
  const RankErrors errors{{0, {FaultKind::peer, "connection closed by peer", {}}}};
  const std::string message = fault({exited(0, 1), killed(1, SIGSEGV)}, errors);
  EXPECT_EQ(message.find("rank 1 was ended by signal 11"), 0U) << message;
}

TEST(Fault, WhereThereAreOtherHostsThisOneIsNamed) {
  Outcome outcome;
  outcome.ends = {killed(3, SIGSEGV)};
  const std::string message = describe_fault(outcome, {}, 30, "gpu02").value_or("none");
  EXPECT_EQ(message.find("rank 3 on gpu02 was ended by signal 11"), 0U) << message;
}

TEST(Fault, WhereAllOnlyLostTheOthersOneIsShown) {
  const RankErrors errors{{1, {FaultKind::peer, "timed out", {}}}};
  EXPECT_EQ(fault({exited(1, 1), exited(0, 0)}, errors), "rank 1 lost the others: timed out");
}

TEST(Fault, ARankThatWeEndedIsNotToBlame) {
  RankEnd ended = killed(0, SIGTERM);
  ended.stopped_by_us = true;
  EXPECT_EQ(fault({ended, exited(1, 3)}).find("rank 1 ended with exit code 3"), 0U);
  EXPECT_EQ(fault({ended}), "none");
}

TEST(Fault, AKilledRankHintsAtMemory) {
  const std::string message = fault({killed(1, SIGKILL)});
  EXPECT_NE(message.find("rank 1"), std::string::npos) << message;
  EXPECT_NE(message.find("--batch"), std::string::npos) << message;
}

TEST(Fault, ARankOutOfMemorySaysWhatToDo) {
  EXPECT_EQ(fault({exited(0, 1)}, {{0, {FaultKind::memory, "2 GB are there", {}}}}),
            "rank 0: 2 GB are there; use a smaller --batch or fewer --ranks");
}

TEST(Fault, ShowsTheLastOutputOfASilentRank) {
  const std::string message = fault({exited(1, 3, "about to divide\nby zero\n")});
  EXPECT_NE(message.find("its last output:\nabout to divide\nby zero\n"), std::string::npos) << message;
}

TEST(Fault, AHungRankIsNamedWithWhatItDidAndHowLong) {
  Outcome outcome;
  outcome.hung_rank = 1;
  outcome.hung_in = Phase::collective;
  outcome.ends = {killed(0, SIGTERM), exited(1, 0, "waiting for a friend\n")};
  const std::string message = *describe_fault(outcome, {{0, {FaultKind::environment, "noise", {}}}}, 5);
  EXPECT_EQ(message.find("rank 1 gave no sign of life for 5.00 s while in a collective"), 0U) << message;
  EXPECT_NE(message.find("--timeout"), std::string::npos) << message;
  EXPECT_NE(message.find("waiting for a friend"), std::string::npos) << message;
}

TEST(Fault, AUsageFaultIsTheUsersAndNamesNoRank) {
  const RankErrors errors{{1, {FaultKind::usage, "--seq-len 9 is too long", {}}}};
  EXPECT_TRUE(is_usage_fault(errors));
  EXPECT_EQ(fault({exited(1, 2)}, errors), "--seq-len 9 is too long");
  EXPECT_FALSE(is_usage_fault({{0, {FaultKind::environment, "no disk", {}}}}));
}

}  // namespace
}  // namespace stash
