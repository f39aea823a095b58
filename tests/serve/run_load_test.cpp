#include "stash/serve/load/run_load.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <thread>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/serve/load/load_request.h"

namespace stash {
namespace {

// A server in a thread: what it answers to the request number n is `answer(n)`; empty: nothing, and it hangs up.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<std::string(int)> answer)
      : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), stop_(eventfd(0, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 128), 0);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    eventfd_write(stop_, 1);
    thread_.join();
    close(listener_);
    close(stop_);
  }

  LoadTarget target() const { return parse_load_target("http://127.0.0.1:" + std::to_string(port_) + "/x"); }
  int requests() const { return requests_; }

 private:
  void serve() {
    std::vector<pollfd> fds{{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
    while (poll(fds.data(), fds.size(), -1) > 0 && fds[0].revents == 0) {
      if (fds[1].revents != 0) fds.push_back({accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), POLLIN, 0});
      for (std::size_t i = 2; i < fds.size(); ++i) {
        if (fds[i].revents == 0 || take(fds[i].fd)) continue;
        close(fds[i].fd);
        fds[i].fd = -1;
      }
      std::erase_if(fds, [](const pollfd& one) { return one.fd < 0; });
    }
    for (std::size_t i = 2; i < fds.size(); ++i) close(fds[i].fd);
  }

  // False: the connection is to be closed.
  bool take(int fd) {
    std::array<char, 65536> buffer;
    const ssize_t count = recv(fd, buffer.data(), buffer.size(), 0);
    if (count <= 0) return false;
    std::string& bytes = received_[fd].append(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t end = bytes.find("\r\n\r\nbody"); end != std::string::npos; end = bytes.find("\r\n\r\nbody")) {
      bytes.erase(0, end + 8);
      const std::string answer = answer_(requests_++);
      if (answer.empty() || send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return false;
      if (answer.find("Connection: close") != std::string::npos) return false;
    }
    return true;
  }

  std::function<std::string(int)> answer_;
  int listener_, stop_;
  int port_ = 0;
  std::atomic<int> requests_{0};
  std::map<int, std::string> received_;
  std::thread thread_;
};

const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

LoadRun load(const ScriptedServer& server, const ArrivalPlan& plan, LoadOptions options = {}) {
  options.timeout_s = 0.5;
  if (options.connections == 256) options.connections = 8;
  return run_load(server.target(), post_request(server.target(), "text/plain", "body"), plan, options);
}

std::size_t count_of(const LoadRun& run, int status) {
  return static_cast<std::size_t>(
      std::ranges::count_if(run.requests, [&](const SentRequest& one) { return one.status == status; }));
}

TEST(RunLoad, EveryRequestOfThePlanIsAnswered) {
  const ScriptedServer server([](int) { return kOk; });
  const LoadRun run = load(server, plan_arrivals(2000, 0.25, Spacing::constant, 1));
  EXPECT_EQ(count_of(run, 200), 500U);
  EXPECT_EQ(server.requests(), 500);
  for (const SentRequest& one : run.requests) {
    EXPECT_GE(one.sent_ns, one.planned_ns);
    EXPECT_GT(one.done_ns, one.sent_ns);
  }
}

TEST(RunLoad, PipelinedRequestsAreAnsweredInOrder) {
  const ScriptedServer server([](int) { return kOk; });
  const LoadRun run = load(server, ArrivalPlan(1000, 0), {.connections = 2, .in_flight = 64});
  EXPECT_EQ(count_of(run, 200), 1000U);
}

TEST(RunLoad, AStallOfTheServerCountsForAllThatWereDueMeanwhile) {
  const ScriptedServer server([](int n) {
    if (n == 50) sleep_until_ns(now_ns() + 100'000'000);
    return kOk;
  });
  const LoadRun run = load(server, plan_arrivals(1000, 0.3, Spacing::constant, 1), {.connections = 2});
  EXPECT_EQ(count_of(run, 200), 300U);
  const auto late = std::ranges::count_if(
      run.requests, [](const SentRequest& one) { return one.done_ns - one.planned_ns > 20'000'000; });
  EXPECT_GE(late, 75);  // of those due in 100 ms; a client that waits for answers would have two
}

TEST(RunLoad, AConnectionThatEndsIsMadeAgain) {
  const ScriptedServer server([](int n) {
    return n % 10 == 9 ? std::string("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n") : kOk;
  });
  EXPECT_EQ(count_of(load(server, plan_arrivals(1000, 0.2, Spacing::constant, 1)), 200), 200U);
}

TEST(RunLoad, ARequestThatTheServerDropsIsCountedOnce) {
  const ScriptedServer server([](int n) { return n == 20 ? std::string() : kOk; });
  const LoadRun run = load(server, plan_arrivals(1000, 0.1, Spacing::constant, 1));
  EXPECT_EQ(run.requests.size(), 100U);
  EXPECT_EQ(count_of(run, 200), 99U);
  EXPECT_EQ(count_of(run, 0), 1U);
}

TEST(RunLoad, StatusesAreKept) {
  const ScriptedServer server(
      [](int n) { return n % 2 == 0 ? kOk : std::string("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"); });
  EXPECT_EQ(count_of(load(server, plan_arrivals(1000, 0.1, Spacing::constant, 1)), 503), 50U);
}

TEST(RunLoad, ASilentServerEndsTheRun) {
  const ScriptedServer server([](int n) { return n == 0 ? kOk : std::string("HTTP/1.1 200 OK\r\n"); });
  const LoadRun run = load(server, plan_arrivals(100, 0.1, Spacing::constant, 1));
  EXPECT_EQ(run.requests.size(), 10U);
  EXPECT_EQ(count_of(run, 200), 1U);
}

TEST(RunLoad, CtrlCKeepsWhatWasAnswered) {
  const ScriptedServer server([](int) { return kOk; });
  const int stop = eventfd(0, 0);
  LoadOptions options;
  options.stop_fd = stop;
  options.on_tick = [stop](std::size_t, std::size_t) { eventfd_write(stop, 1); };
  const LoadRun run = load(server, plan_arrivals(100, 60, Spacing::constant, 1), options);
  close(stop);
  EXPECT_TRUE(run.interrupted);
  EXPECT_GT(run.requests.size(), 0U);
  EXPECT_EQ(count_of(run, 200), run.requests.size());
}

TEST(RunLoad, NobodyThereIsSaid) {
  try {
    run_load(parse_load_target("http://127.0.0.1:1/x"), "x", {0}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is the server running?"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stash
