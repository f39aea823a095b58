#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <set>

#include "../core/contains.h"
#include "stash/launch/cluster/peer_follower.h"
#include "stash/launch/cluster/peer_leader.h"
#include "stash/launch/cluster/peer_ports.h"
#include "support/message_of.h"

namespace stash {
namespace {

constexpr double kDeadline_s = 5;
// Tests that run at the same time do not meet: the ports that follow from it are 1,000 apart.
const int kMeetingPort = 22'000 + getpid() % 1'000;

bool never() { return false; }

// Processes of a launch, as threads of this one.
struct Peers : testing::Test {
  PeerHello hello(int rank) const {
    return {
        .rank = rank, .host = std::string(1, static_cast<char>('a' + rank)), .node = "", .stash = "1.0", .flags = {}};
  }
  LaunchedProcess launched(int size) const {
    LaunchedProcess process;
    process.size = size;
    return process;
  }
  std::future<PeerFollower*> follow(const PeerHello& own, int size = 2) {
    return std::async(std::launch::async, [this, own, size] {
      const std::scoped_lock lock(mutex);
      followers.push_back(std::make_unique<PeerFollower>(size, meeting, own, kDeadline_s));
      return followers.back().get();
    });
  }

  MeetingPoint meeting{.address = "127.0.0.1", .port = kMeetingPort, .is_served = false, .attempt = "0"};
  std::mutex mutex;
  std::vector<std::unique_ptr<PeerFollower>> followers;
  PeerLeader leader{launched(2), meeting, hello(0), kDeadline_s};
};

TEST_F(Peers, OrdersGoOutAndReportsComeBack) {
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  PeerFollower& follower = *coming.get();
  Job job;
  job.model = "vgg11";
  leader.order({.step = PeerStep::prepare, .job = job});
  const auto order = follower.wait(never);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->step, PeerStep::prepare);
  EXPECT_EQ(order->job, job);
  follower.report({.fault = "no disk"});
  const auto reports = leader.collect(kDeadline_s, never);
  ASSERT_EQ(reports->size(), 1u);
  EXPECT_EQ(reports->front().fault, "no disk");
  EXPECT_EQ(leader.name(0), "process 1 on b");
}

TEST_F(Peers, WaitingEndsWhenAsked) {
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  EXPECT_FALSE(leader.collect(kDeadline_s, [] { return true; }));
  EXPECT_FALSE(coming.get()->wait([] { return true; }));
}

TEST_F(Peers, AReportThatWasNotWaitedForIsNotLost) {
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  EXPECT_FALSE(leader.collect(kDeadline_s, [] { return true; }));
  coming.get()->report({.torch = "2.5"});
  EXPECT_EQ(leader.collect(kDeadline_s, never)->front().torch, "2.5");
}

TEST_F(Peers, ALateAnswerLosesTheProcess) {
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  EXPECT_CONTAINS(message_of([&] { leader.collect(0, never); }), "process 1 on b did not answer in time");
}

TEST_F(Peers, AProcessThatEndsIsLost) {
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  coming.get();
  followers.clear();
  EXPECT_CONTAINS(message_of([&] { leader.collect(kDeadline_s, never); }), "process 1 on b has ended");
  EXPECT_TRUE(leader.has_lost_one());
}

TEST_F(Peers, AStoppedProcessIsLost) {
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  coming.get()->report({.interrupted = true});
  EXPECT_CONTAINS(message_of([&] { leader.collect(kDeadline_s, never); }), "process 1 on b was stopped");
}

TEST_F(Peers, ALeaderThatEndsDismissesTheOthers) {
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  leader.dismiss(2);
  const auto order = coming.get()->wait(never);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->step, PeerStep::end);
  EXPECT_EQ(order->exit_code, 2);
}

TEST_F(Peers, OneThatComesWhileAllLeaveIsDismissedToo) {
  auto coming = follow(hello(1));
  leader.dismiss(1);
  EXPECT_EQ(coming.get()->wait(never)->step, PeerStep::end);
}

TEST_F(Peers, OtherFlagsAreNamed) {
  PeerHello own = hello(1);
  own.flags["--seed"] = "7";
  auto coming = follow(own);
  EXPECT_CONTAINS(message_of([&] { leader.gather([](std::string_view) {}); }),
                  "process 0 on a was started with no --seed and process 1 on b with --seed 7");
}

TEST_F(Peers, OtherVersionsAreNamed) {
  PeerHello own = hello(1);
  own.stash = "2.0";
  auto coming = follow(own);
  EXPECT_CONTAINS(message_of([&] { leader.gather([](std::string_view) {}); }), "install the same version");
}

TEST_F(Peers, NodesAreCountedByWhatTellsThemApart) {
  PeerHello own = hello(1);
  own.node = "another";
  auto coming = follow(own);
  leader.gather([](std::string_view) {});
  EXPECT_EQ(leader.nodes(), 2);
}

TEST_F(Peers, WhoeverElseConnectsIsPassedOver) {
  Fd stranger;
  for (const int port : peer_ports(kMeetingPort)) {
    connect_to_peer("127.0.0.1", port, stranger);
    if (stranger.get() >= 0) break;
  }
  ASSERT_GE(stranger.get(), 0);
  const std::string_view noise = "GET / HTTP/1.1\n{\"rank\": -1}\n";
  ASSERT_EQ(::send(stranger.get(), noise.data(), noise.size(), MSG_NOSIGNAL), static_cast<ssize_t>(noise.size()));
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  EXPECT_NE(coming.get(), nullptr);
}

TEST_F(Peers, AnotherLaunchOnTheSamePortIsAnotherOne) {
  MeetingPoint other = meeting;
  other.attempt = "1";
  PeerLeader second(launched(2), other, hello(0), kDeadline_s);  // takes the next port
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  EXPECT_NE(coming.get(), nullptr);
}

TEST_F(Peers, ALaunchJustLikeAnotherFindsItsOwnLeader) {
  auto coming = follow(hello(1));
  leader.gather([](std::string_view) {});
  coming.get();
  PeerLeader second(launched(2), meeting, hello(0), kDeadline_s);
  auto other =
      std::async(std::launch::async, [this] { return PeerFollower(2, meeting, hello(1), kDeadline_s).wait(never); });
  leader.dismiss(1);  // which hears of the stranger, and does not take it in
  second.gather([](std::string_view) {});
  second.dismiss(3);
  EXPECT_EQ(other.get()->exit_code, 3);
}

TEST(PeerPorts, LieBesideTheMeetingAndInRange) {
  for (const int meeting : {80, 1024, 29'500, 65'535}) {
    const auto ports = peer_ports(meeting);
    EXPECT_EQ(std::set<int>(ports.begin(), ports.end()).size(), ports.size());
    for (const int port : ports) {
      EXPECT_NE(port, meeting);
      EXPECT_GE(port, 1024);
      EXPECT_LE(port, 65'535);
    }
  }
}

}  // namespace
}  // namespace stash
