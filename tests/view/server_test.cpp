#include "stash/view/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "../core/contains.h"
#include "stash/core/error.h"

namespace stash {

namespace {

// A server in a thread of its own, until the end of the test.
class Running {
 public:
  explicit Running(ServerLimits limits) : server_(0, limits) {
    EXPECT_EQ(pipe(stop_.data()), 0);
    thread_ = std::thread([this] {
      server_.serve({.answer = [](const Request& request) -> Response {
                       if (request.path == "/fault") throw Error("broken");
                       if (request.path == "/events") return {.body = ": open\n\n", .is_stream = true};
                       return {.body = std::string(request.path == "/large" ? 5'000'000 : 3, 'x')};
                     },
                     .changed = [this] { return changed_.exchange(false); }},
                    stop_[0]);
    });
  }
  ~Running() {
    EXPECT_EQ(write(stop_[1], "x", 1), 1);
    thread_.join();
    for (const int fd : stop_) close(fd);
  }

  int port() const { return server_.port(); }
  void change() { changed_ = true; }

 private:
  Server server_;
  std::array<int, 2> stop_{};
  std::atomic<bool> changed_ = false;
  std::thread thread_;
};

class Client {
 public:
  explicit Client(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { close(fd_); }

  void say(const std::string& bytes) const { send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  std::string hear_until(const std::string& mark) const {  // empty: until the end
    std::string heard;
    std::array<char, 65536> piece;
    for (ssize_t count; (count = recv(fd_, piece.data(), piece.size(), 0)) > 0;) {
      heard.append(piece.data(), static_cast<std::size_t>(count));
      if (!mark.empty() && heard.find(mark) != std::string::npos) break;
    }
    return heard;
  }

 private:
  int fd_;
};

std::string ask(int port, const std::string& target, const std::string& host = "") {
  const Client client(port);
  client.say("GET " + target + " HTTP/1.1\r\nHost: " + (host.empty() ? "127.0.0.1:" + std::to_string(port) : host) +
             "\r\n\r\n");
  return client.hear_until("");
}

}  // namespace

TEST(Server, AnswersAndCloses) {
  const Running server({});
  EXPECT_TRUE(ask(server.port(), "/").ends_with("\r\n\r\nxxx"));
  EXPECT_GT(ask(server.port(), "/large").size(), 5'000'000u);
  EXPECT_TRUE(ask(server.port(), "/fault").starts_with("HTTP/1.1 500 "));
}

TEST(Server, OtherNamesForItAreRefused) {
  const Running server({});
  for (const char* host : {"evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"}) {
    EXPECT_TRUE(ask(server.port(), "/", host).starts_with("HTTP/1.1 403 ")) << host;
  }
  EXPECT_TRUE(ask(server.port(), "/", "LOCALHOST:" + std::to_string(server.port())).starts_with("HTTP/1.1 200 "));
}

TEST(Server, ARequestThatIsTooLargeIsAnswered) {
  const Running server({});
  const Client client(server.port());
  client.say("GET / HTTP/1.1\r\nX: " + std::string(100'000, 'a'));
  EXPECT_TRUE(client.hear_until("\r\n").starts_with("HTTP/1.1 431 "));
}

TEST(Server, SlowClientsAreLeftAndOthersServed) {
  const Running server({.connections = 8, .request_s = 0.2, .response_s = 60, .poll_s = 0.05});
  const Client slow(server.port());
  slow.say("GET / HT");
  EXPECT_TRUE(ask(server.port(), "/").starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(slow.hear_until(""), "");
}

TEST(Server, ManyConnectionsLeaveRoomForTheNext) {
  const Running server({.connections = 8, .request_s = 60, .response_s = 60, .poll_s = 0.05});
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 30; ++i) idle.push_back(std::make_unique<Client>(server.port()));
  EXPECT_TRUE(ask(server.port(), "/").starts_with("HTTP/1.1 200 "));
}

TEST(Server, ListenersHearOfChanges) {
  Running server({.connections = 8, .request_s = 0.2, .response_s = 60, .poll_s = 0.05});
  const Client listener(server.port());
  listener.say("GET /events HTTP/1.1\r\nHost: localhost:" + std::to_string(server.port()) + "\r\n\r\n");
  EXPECT_CONTAINS(listener.hear_until(": open"), "200 OK");
  server.change();
  EXPECT_CONTAINS(listener.hear_until("changed"), "data: changed\n\n");
}

TEST(Server, APortThatIsTakenIsAnError) {
  const Running server({});
  EXPECT_THROW(Server{server.port()}, Error);
}

}  // namespace stash
