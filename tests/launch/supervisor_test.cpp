#include "stash/launch/supervisor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/is_alive.h"
#include "stash/launch/process/affinity.h"
#include "stash/launch/process/child.h"
#include "support/eventually.h"

namespace stash {
namespace {

RankCommand shell_rank(const std::string& script) {
  return {.arguments = {"sh", "-c", script}, .environment = {}, .cores = {}};
}

// A shell knows only descriptors of one digit.
RankCommand reporting(const std::string& line) {
  return shell_rank("printf '%s\\n' '" + line + "' > /proc/self/fd/$STASH_EVENT_FD");
}

class SupervisorTest : public testing::Test {
 protected:
  Outcome run(const std::vector<RankCommand>& processes) {
    shared_ = std::make_unique<SharedState>(SharedState::create(static_cast<int>(processes.size())));
    options_.on_event = [this](int rank, std::string_view line) { events_.emplace_back(rank, line); };
    return Supervisor(processes, *shared_).watch(options_);
  }
  const RankEnd& end_of(const Outcome& outcome, int rank) {
    for (const RankEnd& end : outcome.ends) {
      if (end.rank == rank) return end;
    }
    throw std::runtime_error("rank " + std::to_string(rank) + " has not ended");
  }

  SupervisorOptions options_;
  std::unique_ptr<SharedState> shared_;
  std::vector<std::pair<int, std::string>> events_;
};

TEST_F(SupervisorTest, PassesOnWhatEachRankReportsAndHowItEnded) {
  const Outcome outcome = run({shell_rank("exit 0"), reporting("hello")});
  EXPECT_EQ(events_, (std::vector<std::pair<int, std::string>>{{1, "hello"}}));
  ASSERT_EQ(outcome.ends.size(), 2U);
  for (const RankEnd& end : outcome.ends) EXPECT_TRUE(end.clean());
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_FALSE(outcome.hung_rank);
}

TEST_F(SupervisorTest, AReportMayBeLong) {
  run({shell_rank("head -c 3000000 /dev/zero | tr '\\0' x > /proc/self/fd/$STASH_EVENT_FD")});
  ASSERT_EQ(events_.size(), 1U);
  EXPECT_EQ(events_[0].second.size(), 3'000'000U);
}

TEST_F(SupervisorTest, OneRanksFaultEndsTheOthers) {
  const Outcome outcome = run({shell_rank("sleep 60"), shell_rank("echo oops >&2; exit 3")});
  ASSERT_EQ(outcome.ends.size(), 2U);
  EXPECT_EQ(outcome.ends[0].rank, 1);
  EXPECT_EQ(outcome.ends[0].exit_code, 3);
  EXPECT_FALSE(outcome.ends[0].stopped_by_us);
  EXPECT_EQ(outcome.ends[0].last_output, "oops\n");
  EXPECT_EQ(outcome.ends[1].signal, SIGTERM);
  EXPECT_TRUE(outcome.ends[1].stopped_by_us);
}

TEST_F(SupervisorTest, ARankThatWillNotEndIsKilled) {
  const Outcome outcome = run({shell_rank("trap '' TERM; while :; do sleep 0.1; done"), shell_rank("kill -SEGV $$")});
  EXPECT_EQ(end_of(outcome, 0).signal, SIGKILL);
  EXPECT_EQ(end_of(outcome, 1).signal, SIGSEGV);
}

TEST_F(SupervisorTest, ARankThatStopsIsFoundAfterTheDeadlineAndEnded) {
  options_.deadline_s = 0.3;
  const Outcome outcome = run({shell_rank("sleep 60"), shell_rank("kill -STOP $$; sleep 60")});
  EXPECT_EQ(outcome.hung_rank, 1);
  EXPECT_EQ(outcome.hung_in, Phase::starting);
  EXPECT_EQ(outcome.ends.size(), 2U);
}

TEST_F(SupervisorTest, ARankThatBeatsIsNotHung) {
  options_.deadline_s = 0.3;
  options_.on_tick = [this] { shared_->rank(0).beat(Phase::working); };
  const Outcome outcome = run({shell_rank("sleep 1")});
  EXPECT_FALSE(outcome.hung_rank);
  EXPECT_TRUE(outcome.ends[0].clean());
}

TEST_F(SupervisorTest, AnInterruptAsksRanksToStopAndThenEndsThem) {
  options_.grace_s = 0.2;
  bool raised = false;
  options_.on_tick = [&] {
    if (!raised) ::raise(SIGINT);
    raised = true;
  };
  const Outcome outcome = run({shell_rank("sleep 60"), shell_rank("sleep 60")});
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_TRUE(shared_->stop_requested());
  for (const RankEnd& end : outcome.ends) EXPECT_TRUE(end.stopped_by_us);
  sigset_t mask;
  ::sigprocmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_FALSE(::sigismember(&mask, SIGINT)) << "signals stay blocked afterwards";
}

TEST_F(SupervisorTest, AProgramThatIsNotThereIsNamed) {
  const Outcome outcome = run({{.arguments = {"/no/such/python", "-m", "stash.rank"}, .environment = {}, .cores = {}}});
  EXPECT_EQ(outcome.ends[0].exit_code, 127);
  EXPECT_NE(outcome.ends[0].last_output.find("/no/such/python"), std::string::npos) << outcome.ends[0].last_output;
}

TEST_F(SupervisorTest, KeepsTheLastLinesOfEndlessOutput) {
  const Outcome outcome = run({shell_rank("seq 1 100000; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end")});
  const std::string& output = outcome.ends[0].last_output;
  EXPECT_TRUE(output.ends_with("\nend\n"));
  EXPECT_NE(output.find("99999\n100000\n"), std::string::npos);
  EXPECT_EQ(output.find("99980\n"), std::string::npos);
  EXPECT_LT(output.size(), 12U * 4100);
}

TEST_F(SupervisorTest, GivesEachRankItsVariablesAndItsCores) {
  const int core = allowed_cores().back();
  RankCommand process = shell_rank("echo $RANK ${STASH_TEST-inherited}; grep Cpus_allowed_list /proc/self/status");
  process.environment = {{"RANK", "7"}, {"STASH_TEST", "replaced"}};
  process.cores = {core};
  ::setenv("STASH_TEST", "own", 1);
  const Outcome outcome = run({process});
  ::unsetenv("STASH_TEST");
  EXPECT_EQ(outcome.ends[0].last_output, "7 replaced\nCpus_allowed_list:\t" + std::to_string(core) + "\n");
}

TEST_F(SupervisorTest, ARankReadsNothingFromTheTerminal) {
  EXPECT_EQ(run({shell_rank("cat; echo read")}).ends[0].last_output, "read\n");
}

// Stands for a rank that carries orders out: it says a line for each, and waits.
TEST_F(SupervisorTest, RanksThatAreFreeStayUntilTheirCrewIsGone) {
  SharedState shared = SharedState::create(1);
  pid_t rank = 0;
  const SupervisorOptions options{.on_event =
                                      [&](int, std::string_view line) {
                                        rank = std::atoi(std::string(line).c_str());
                                        shared.rank(0).finished.store(shared.order());
                                      },
                                  .on_tick = {}};
  {
    Supervisor crew({shell_rank("while :; do echo $$ > /proc/self/fd/$STASH_EVENT_FD; sleep 0.2; done")}, shared);
    EXPECT_FALSE(crew.is_free());
    EXPECT_TRUE(crew.watch(options).ends.empty());
    EXPECT_TRUE(crew.is_free());
    const pid_t first = rank;
    shared.give_next_order();
    EXPECT_FALSE(crew.is_free());
    EXPECT_TRUE(crew.watch(options).ends.empty());
    EXPECT_EQ(rank, first);
    EXPECT_TRUE(is_alive(rank));
  }
  EXPECT_FALSE(is_alive(rank));
}

TEST_F(SupervisorTest, ARankThatDiedWhileItWasFreeIsNotFree) {
  SharedState shared = SharedState::create(1);
  pid_t rank = 0;
  Supervisor crew({shell_rank("echo $$ > /proc/self/fd/$STASH_EVENT_FD; exec sleep 60")}, shared);
  crew.watch({.on_event =
                  [&](int, std::string_view line) {
                    rank = std::atoi(std::string(line).c_str());
                    shared.rank(0).finished.store(shared.order());
                  },
              .on_tick = {}});
  ASSERT_TRUE(crew.is_free());
  ::kill(rank, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !crew.is_free(); }));
}

// A killed supervisor can end nobody: the kernel does.
TEST_F(SupervisorTest, RanksDieWithTheirSupervisor) {
  Pipe pids;
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    SharedState shared = SharedState::create(1);
    const auto tell = [&](int, std::string_view line) {
      if (::write(pids.write_end.get(), line.data(), line.size()) < 0) ::_exit(1);
    };
    Supervisor({shell_rank("echo $$ > /proc/self/fd/$STASH_EVENT_FD; exec sleep 60")}, shared)
        .watch({.on_event = tell, .on_tick = {}});
    ::_exit(0);
  }
  char text[32] = {};
  ASSERT_TRUE(eventually([&] { return ::read(pids.read_end.get(), text, sizeof text - 1) > 0; }));
  const pid_t rank = std::atoi(text);
  ASSERT_GT(rank, 0);
  EXPECT_TRUE(is_alive(rank));
  ::kill(supervisor, SIGKILL);
  int status = 0;
  ::waitpid(supervisor, &status, 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(rank); }));
}

}  // namespace
}  // namespace stash
