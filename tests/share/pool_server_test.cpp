#include "stash/share/pool/pool_server.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <string_view>
#include <thread>

#include "stash/core/error.h"
#include "stash/launch/pool/pool_member.h"
#include "stash/share/pool/machine_load.h"
#include "support/eventually.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

// A pool on a thread, until its end.
class RunningPool {
 public:
  RunningPool(const std::filesystem::path& socket, int cores)
      : listener_(socket), server_(listener_, options(cores)), stop_(eventfd(0, EFD_CLOEXEC)) {
    thread_ = std::thread([this] { server_.serve(stop_.get()); });
  }
  ~RunningPool() {
    const std::uint64_t one = 1;
    EXPECT_EQ(write(stop_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    thread_.join();
  }

 private:
  static PoolServerOptions options(int cores) {
    PoolServerOptions options;
    options.cores = cores;
    options.counts_load = false;
    options.pool.report_s = 0.02;
    return options;
  }

  PoolListener listener_;
  PoolServer server_;
  Fd stop_;
  std::thread thread_;
};

PoolSeat seat_at(const std::filesystem::path& socket, const std::string& name) {
  return {.socket = socket.string(), .name = name, .job = name};
}

TEST(PoolServer, OnlyItsUserCanOpenItsSocket) {
  const TemporaryFolder folder;
  const RunningPool pool(folder.path() / "pool", 4);
  struct stat facts{};
  ASSERT_EQ(stat((folder.path() / "pool").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST(PoolServer, AMemberHasWhatThePoolGivesItAndTheOthersWhatItLeaves) {
  const TemporaryFolder folder;
  const std::filesystem::path socket = folder.path() / "pool";
  const RunningPool pool(socket, 6);
  PoolMember first(seat_at(socket, "first"), {.workers = 2});
  EXPECT_EQ(first.workers(), 6);
  EXPECT_EQ(first.most_workers(), 6);
  std::atomic<int> resized{0};
  first.start([] { return LoadedSoFar{}; }, [&](int workers) { resized = workers; });
  {
    const PoolMember second(seat_at(socket, "second"), {.workers = 2});
    EXPECT_EQ(second.workers(), 3);
    EXPECT_TRUE(eventually([&] { return resized == 3; }));
  }
  EXPECT_TRUE(eventually([&] { return resized == 6; }));
  const PoolState state = pool_state_from_line(ask_pool_state(socket));
  ASSERT_EQ(state.jobs.size(), 2u);
  EXPECT_EQ(state.jobs[0].name, "second");
  EXPECT_EQ(state.jobs[0].state, PoolJobState::left);
}

TEST(PoolServer, WithoutAPoolAMemberHasWhatItAskedFor) {
  const TemporaryFolder folder;
  const PoolMember member(seat_at(folder.path() / "none", "alone"), {.workers = 3});
  EXPECT_EQ(member.workers(), 3);
  EXPECT_EQ(member.most_workers(), 3);
}

TEST(PoolServer, AMemberKeepsWhatItHasWhenThePoolEndsAndJoinsTheNextOne) {
  const TemporaryFolder folder;
  const std::filesystem::path socket = folder.path() / "pool";
  auto pool = std::make_unique<RunningPool>(socket, 6);
  PoolMember member(seat_at(socket, "stays"), {.workers = 2});
  member.start([] { return LoadedSoFar{}; }, [](int) {});
  pool.reset();
  EXPECT_EQ(member.workers(), 6);
  pool = std::make_unique<RunningPool>(socket, 3);
  EXPECT_TRUE(eventually([&] { return member.workers() == 3; }));
}

TEST(PoolServer, ASecondPoolIsTurnedAway) {
  const TemporaryFolder folder;
  const std::filesystem::path socket = folder.path() / "pool";
  const RunningPool pool(socket, 4);
  EXPECT_NE(message_of<Error>([&] { PoolListener second(socket); }).find("listens"), std::string::npos);
}

TEST(PoolServer, TakesOverTheSocketOfAKilledPool) {
  const TemporaryFolder folder;
  const std::filesystem::path socket = folder.path() / "pool";
  {
    const PoolListener listener(socket);
    std::filesystem::create_hard_link(socket, folder.path() / "kept");
  }
  std::filesystem::rename(folder.path() / "kept", socket);  // as a pool leaves it that was killed
  const RunningPool pool(socket, 4);
  EXPECT_EQ(pool_state_from_line(ask_pool_state(socket)).cores, 4);
}

TEST(PoolServer, AnotherUserIsNotLetIn) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  const TemporaryFolder folder;
  const std::filesystem::path socket = folder.path() / "pool";
  const RunningPool pool(socket, 4);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const auto refusal_of_other = [&] {
    const pid_t child = fork();
    if (child == 0) {
      if (setuid(65534) != 0) _exit(2);
      try {
        Fd connection;
        connect_to_pool(socket, connection);
      } catch (const Error& error) {
        _exit(std::string_view(error.what()).find("another user's") != std::string_view::npos ? 0 : 1);
      }
      _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(refusal_of_other(), 0) << "the socket's permissions";
  std::filesystem::permissions(socket, std::filesystem::perms::all);
  EXPECT_EQ(refusal_of_other(), 0) << "who made it";
}

TEST(PoolServer, KeepsAFileThatIsNoSocket) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "precious";
  std::ofstream(file) << "data";
  EXPECT_NE(message_of<UsageError>([&] { PoolListener listener(file); }).find("no socket"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_regular_file(file));
}

TEST(PoolServer, WhoSpeaksNonsenseIsSentAwayAndOthersStay) {
  const TemporaryFolder folder;
  const std::filesystem::path socket = folder.path() / "pool";
  const RunningPool pool(socket, 4);
  const PoolMember member(seat_at(socket, "stays"), {.workers = 2});
  for (const std::string& nonsense : {std::string("lunch\n"), std::string("{\"message\": \"lunch\"}\n"),
                                      std::string("{\"message\": \"join\"}\n"), std::string(100'000, 'x') + "\n",
                                      std::string("{\"message\": \"report\", \"workers\": 1, \"elapsed_s\": 1, "
                                                  "\"samples\": 1, \"batches\": 1, \"waited_s\": 0, \"busy_s\": 0, "
                                                  "\"cpu_s\": 0}\n")}) {
    Fd connection;
    connect_to_pool(socket, connection);
    ASSERT_GE(connection.get(), 0);
    send_line(connection.get(), nonsense);
    EXPECT_TRUE(eventually([&] {
      std::array<char, 4096> buffer;
      return read(connection.get(), buffer.data(), buffer.size()) == 0;
    })) << nonsense.substr(0, 60);
  }
  EXPECT_EQ(pool_state_from_line(ask_pool_state(socket)).jobs.size(), 1u);
}

TEST(MachineLoad, CountsTheTimeOfTheCoresThatItIsAskedFor) {
  const TemporaryFolder folder;
  const std::filesystem::path stat = folder.path() / "stat";
  std::ofstream(stat) << "cpu  1000 0 1000 9 0 0 0 0 0 0\n"
                         "cpu0 100 20 30 5000 7 1 2 3 0 0\ncpu1 500 0 0 1 1 0 0 0 0 0\nintr 1\n";
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_NEAR(*busy_core_s({0}, stat), 156 * tick_s, 1e-9);
  EXPECT_NEAR(*busy_core_s({0, 1}, stat), 656 * tick_s, 1e-9);
  EXPECT_FALSE(busy_core_s({7}, stat));
  EXPECT_FALSE(busy_core_s({0}, folder.path() / "none"));
}

TEST(MachineLoad, IsWhatTheJobsOfThePoolDoNotUse) {
  MachineLoad load;
  load.add(0, 100, 10);
  EXPECT_FALSE(load.other_cores());
  load.add(10, 140, 30);
  EXPECT_NEAR(*load.other_cores(), 2, 1e-9);
}

TEST(MachineLoad, SmallOnesChangeNothing) {
  EXPECT_EQ(cores_beside(0, 8, 8, 8), 8);
  EXPECT_EQ(cores_beside(0.6, 8, 8, 8), 8);
  EXPECT_EQ(cores_beside(2.1, 8, 8, 8), 6);
  EXPECT_EQ(cores_beside(2.1, 8, 16, 8), 8) << "the others have cores of their own";
  EXPECT_EQ(cores_beside(99, 8, 8, 8), 1);
}

}  // namespace
}  // namespace stash
